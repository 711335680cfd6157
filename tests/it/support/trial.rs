//! Backups on trial: an installation to which nothing must happen, whatever file is tried on it, and dice that fall the same
//! way again for a seed.

use std::fs;
use std::path::PathBuf;

use segnalazioni::testing::Config;
use segnalazioni::testing::restore;
use segnalazioni::testing::verify;

use super::backups::{archive, lasting_files, unpacked};
use super::program::{START, at, config};

/// The installation.
pub struct House {
    folder: tempfile::TempDir,
    config: Config,
}

impl House {
    /// With an archive of its own.
    pub fn new() -> Self {
        let (program, folder) = (archive(1), tempfile::tempdir().expect("a folder"));
        fs::create_dir(folder.path().join("data")).expect("a folder");
        for path in lasting_files(program.data()).into_keys() {
            let copy = folder.path().join("data").join(path.file_name().unwrap());
            fs::copy(&path, copy).expect("copied");
        }
        let config = config(folder.path(), &[]);
        Self { folder, config }
    }

    /// A file beside the installation.
    pub fn file(&self, name: &str, content: &[u8]) -> PathBuf {
        let file = self.folder.path().join(name);
        fs::write(&file, content).expect("written");
        file
    }

    /// Why this content is not restored.
    pub fn refusal(&self, content: &[u8]) -> String {
        let file = self.file("prova.backup", content);
        let refused = restore(&self.config, &file, at(START), false).err();
        let refused = format!("{:#}", refused.expect("it is refused"));
        let checked = verify(&self.config, &file, at(START))
            .err()
            .expect("it is refused here too");
        // They differ in the disk that they ask for room.
        let checked = format!("{checked:#}");
        let reason = |text: &str| text.split(" e nella cartella").next().map(str::to_owned);
        assert_eq!(reason(&checked), reason(&refused));
        refused
    }

    /// A bit that the packing has no use for may be turned: then what comes out is the very same archive. Anything else is
    /// refused.
    pub fn refuses_or_unpacks_to(&self, content: &[u8], database: &[u8]) -> bool {
        let file = self.file("prova.backup", content);
        if restore(&self.config, &file, at(START), true).is_ok() {
            assert!(unpacked(&file).1 == database, "another archive was taken");
            return false;
        }
        self.refusal(content);
        true
    }

    /// Whether this content would be restored.
    pub fn would_take(&self, content: &[u8]) {
        let file = self.file("prova.backup", content);
        restore(&self.config, &file, at(START), true).expect("it is taken");
    }

    /// Every byte that must stay as it is.
    pub fn files(&self) -> impl PartialEq + use<> {
        lasting_files(&self.config.data_dir)
    }
}

/// Random numbers that come again with the same seed (`SplitMix64`, public domain, by S. Vigna).
pub struct Dice(u64);

impl Dice {
    /// Says which seed it is, for whoever must repeat a failure. `SEED` in the environment throws others.
    #[allow(clippy::print_stderr, reason = "shown when the test fails")]
    pub fn thrown() -> Self {
        let given = std::env::var("SEED").ok();
        let seed = given.and_then(|seed| seed.parse().ok()).unwrap_or(1);
        eprintln!("SEED={seed}");
        Self(seed)
    }

    pub fn within(&mut self, range: std::ops::Range<usize>) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let mixed = usize::try_from((mixed ^ (mixed >> 31)) >> 16).expect("48 bits");
        range.start + mixed % (range.end - range.start)
    }
}
