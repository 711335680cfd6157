//! A disk that can be full, without filling anybody else's.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small file system of its own, gone with the value.
pub struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// `None`, said once, where this process may not mount.
    #[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
    pub fn mount(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut mount = Command::new("mount");
        let options = format!("size={size},mode=0700");
        mount
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(folder.path());
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!(
                "SKIPPED: this process may not mount a file system, so there is no disk to fill"
            );
        }
        mounted.then_some(Self { folder })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// As after an error of the disk.
    pub fn read_only(&self) {
        let mut mount = Command::new("mount");
        let mounted = mount.args(["-o", "remount,ro"]).arg(self.path()).status();
        assert!(mounted.is_ok_and(|status| status.success()));
    }

    /// Makes files without content until there can be no more.
    pub fn fill_with_names(&self) {
        let mut numbers = 0..;
        while File::create(
            self.path()
                .join(format!("nome-{}", numbers.next().unwrap())),
        )
        .is_ok()
        {}
    }

    /// Takes all the room that is left, in one file also when called again.
    pub fn fill(&self) -> PathBuf {
        let path = self.path().join("filler");
        let made = OpenOptions::new().append(true).create(true).open(&path);
        let mut file = made.expect("made");
        for block in [64 * 1024, 4096, 1] {
            while file.write_all(&vec![0; block]).is_ok() {}
        }
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(self.path()).status();
        assert!(
            unmounted.is_ok_and(|status| status.success()),
            "the disk stays mounted"
        );
    }
}
