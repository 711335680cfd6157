//! Build script: embeds the interface and stamps the build.
//!
//! Every file of `ui/dist/assets` is compressed once here, so that serving it costs nothing; the two pages and their
//! styles are embedded as text, because the server fills in their slots. It must never download anything, and never run
//! the interface's own build: when that is missing it says which command makes it.
//!
//! Stamps, for `env!`: `BUILD_COMMIT` (short hash, or `unknown`) and `BUILD_DATE` (RFC 3339, UTC). They do not begin with
//! `SEGNALAZIONI_`: cargo passes them on to the programs it runs, where that prefix is for settings.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, thread};

use sha2::{Digest as _, Sha256};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

const DIST: &str = "ui/dist";

/// The files into which the server writes: name in `ui/dist`, name of the constant.
const TEXTS: [(&str, &str); 4] = [
    ("public.html", "PUBLIC_HTML"),
    ("admin.html", "ADMIN_HTML"),
    ("public.css", "PUBLIC_CSS"),
    ("admin.css", "ADMIN_CSS"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={DIST}");
    if let Err(error) = embed().and_then(|()| stamp()) {
        println!("cargo::error={error}");
    }
}

/// One file of `ui/dist/assets`.
struct Asset {
    /// Path below `ui/dist/assets`.
    name: String,
    content_type: &'static str,
    raw: Vec<u8>,
    /// Name of its content: also that of its files in the output folder.
    hash: String,
}

fn embed() -> Outcome<()> {
    let out = PathBuf::from(env::var("OUT_DIR")?).join("ui");
    fs::create_dir_all(&out)?;
    let mut table = String::new();
    let mut kept = BTreeSet::new();
    for (file, constant) in TEXTS {
        let content = fs::read(Path::new(DIST).join(file)).map_err(|error| {
            format!("{DIST}/{file}: {error}: the interface is not built, run `make ui`")
        })?;
        keep(&out, file, &content, &mut kept)?;
        writeln!(table, "/// `{file}` as built, with its slots.")?;
        writeln!(
            table,
            "pub(super) static {constant}: &str = {};",
            include("include_str", &out, file)
        )?;
    }
    let mut assets = Vec::new();
    collect(&Path::new(DIST).join("assets"), "", &mut assets)?;
    assets.sort_by(|one, other| one.name.cmp(&other.name));
    let entries = compress_all(&assets, &out)?;
    writeln!(table, "/// All assets, by name.")?;
    writeln!(table, "static ASSETS: &[Asset] = &[")?;
    for (asset, files) in assets.iter().zip(&entries) {
        kept.extend(files.all().map(str::to_owned));
        table.push_str(&asset.entry(files, &out)?);
    }
    writeln!(table, "];")?;
    write_if_new(&out.join("table.rs"), table.as_bytes())?;
    kept.insert("table.rs".to_owned());
    for entry in fs::read_dir(&out)? {
        let entry = entry?;
        if !kept.contains(&*entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Names in the output folder of one asset's content: as it is, and in the encodings that make it smaller.
struct Files {
    raw: String,
    brotli: Option<String>,
    gzip: Option<String>,
}

impl Files {
    fn all(&self) -> impl Iterator<Item = &str> {
        [Some(&self.raw), self.brotli.as_ref(), self.gzip.as_ref()]
            .into_iter()
            .flatten()
            .map(String::as_str)
    }
}

impl Asset {
    fn entry(&self, files: &Files, out: &Path) -> Outcome<String> {
        let mut entry = String::new();
        let optional = |file: &Option<String>| match file {
            Some(file) => format!("Some({})", include("include_bytes", out, file)),
            None => "None".to_owned(),
        };
        writeln!(entry, "    Asset {{")?;
        writeln!(entry, "        name: {:?},", self.name)?;
        writeln!(entry, "        content_type: {:?},", self.content_type)?;
        writeln!(entry, "        hash: {:?},", self.hash)?;
        writeln!(
            entry,
            "        raw: {},",
            include("include_bytes", out, &files.raw)
        )?;
        writeln!(entry, "        brotli: {},", optional(&files.brotli))?;
        writeln!(entry, "        gzip: {},", optional(&files.gzip))?;
        writeln!(entry, "    }},")?;
        Ok(entry)
    }

    /// Compresses, unless the same content was compressed by an earlier build. A file from which less than a tenth
    /// goes away is left as it is: pictures and fonts are compressed already.
    fn compress(&self, out: &Path) -> Outcome<Files> {
        let worth = |size: u64| size.saturating_mul(10) < (self.raw.len() as u64).saturating_mul(9);
        let raw = format!("{}.raw", self.hash);
        write_if_new(&out.join(&raw), &self.raw)?;
        let encoded =
            |extension: &str, encode: fn(&[u8]) -> Outcome<Vec<u8>>| -> Outcome<Option<String>> {
                let name = format!("{}.{extension}", self.hash);
                let path = out.join(&name);
                if !path.exists() {
                    fs::write(&path, encode(&self.raw)?)?;
                }
                Ok(worth(fs::metadata(&path)?.len()).then_some(name))
            };
        Ok(Files {
            brotli: encoded("br", brotli)?,
            gzip: encoded("gz", gzip)?,
            raw,
        })
    }
}

/// Compresses on all processors; the answers come in the order of the assets.
fn compress_all(assets: &[Asset], out: &Path) -> Outcome<Vec<Files>> {
    let workers = thread::available_parallelism()?.get();
    let share = assets.len().div_ceil(workers).max(1);
    thread::scope(|scope| {
        let running: Vec<_> = assets
            .chunks(share)
            .map(|part| {
                scope.spawn(move || {
                    part.iter()
                        .map(|asset| asset.compress(out))
                        .collect::<Outcome<Vec<_>>>()
                })
            })
            .collect();
        let mut all = Vec::new();
        for worker in running {
            all.extend(
                worker
                    .join()
                    .map_err(|_| "a compression worker panicked")??,
            );
        }
        Ok(all)
    })
}

fn brotli(raw: &[u8]) -> Outcome<Vec<u8>> {
    const BUFFER: usize = 64 * 1024;
    const BEST: u32 = 11;
    const WINDOW: u32 = 22;
    let mut writer = brotli::CompressorWriter::new(Vec::new(), BUFFER, BEST, WINDOW);
    writer.write_all(raw)?;
    writer.flush()?;
    Ok(writer.into_inner())
}

fn gzip(raw: &[u8]) -> Outcome<Vec<u8>> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    writer.write_all(raw)?;
    Ok(writer.finish()?)
}

/// Finds all files below `folder`; `prefix` is its path below the assets.
fn collect(folder: &Path, prefix: &str, assets: &mut Vec<Asset>) -> Outcome<()> {
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("{}: {error}: run `make ui`", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        let name = entry.file_name();
        let name = name
            .to_str()
            .ok_or_else(|| format!("{}: a name that is not text", path.display()))?;
        let name = format!("{prefix}{name}");
        if path.is_dir() {
            collect(&path, &format!("{name}/"), assets)?;
            continue;
        }
        // Browsers keep assets for a year without asking: a name must change with its content.
        if !is_hashed(&path) {
            return Err(format!(
                "{}: its name carries no hash of its content",
                path.display()
            )
            .into());
        }
        let raw = fs::read(&path)?;
        assets.push(Asset {
            content_type: content_type(&path)?,
            hash: hash(&raw),
            name,
            raw,
        });
    }
    Ok(())
}

/// `name-XXXXXXXX.ext`, as Vite names what it builds.
fn is_hashed(path: &Path) -> bool {
    const LENGTH: usize = 8;
    let stem = path.file_stem().unwrap_or_default().as_encoded_bytes();
    let Some(split) = stem.len().checked_sub(LENGTH + 1) else {
        return false;
    };
    let base64url = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    stem[split] == b'-' && stem[split + 1..].iter().all(base64url)
}

fn content_type(path: &Path) -> Outcome<&'static str> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("js") => Ok("text/javascript; charset=utf-8"),
        Some("css") => Ok("text/css; charset=utf-8"),
        Some("json") => Ok("application/json"),
        Some("webmanifest") => Ok("application/manifest+json"),
        Some("svg") => Ok("image/svg+xml"),
        Some("png") => Ok("image/png"),
        Some("jpg" | "jpeg") => Ok("image/jpeg"),
        Some("webp") => Ok("image/webp"),
        Some("ico") => Ok("image/x-icon"),
        Some("woff2") => Ok("font/woff2"),
        Some("ttf") => Ok("font/ttf"),
        _ => Err(format!("{}: build.rs knows no content type for it", path.display()).into()),
    }
}

/// 128 bits of SHA-256: enough to name a content.
fn hash(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    let half = digest
        .iter()
        .take(16)
        .fold(0, |number: u128, byte| number << 8 | u128::from(*byte));
    format!("{half:032x}")
}

fn keep(out: &Path, file: &str, content: &[u8], kept: &mut BTreeSet<String>) -> Outcome<()> {
    write_if_new(&out.join(file), content)?;
    kept.insert(file.to_owned());
    Ok(())
}

/// Leaves a file alone that is right already, and with it whatever was built from it.
fn write_if_new(path: &Path, content: &[u8]) -> Outcome<()> {
    if fs::read(path).is_ok_and(|present| present == content) {
        return Ok(());
    }
    Ok(fs::write(path, content)?)
}

fn include(with: &str, out: &Path, file: &str) -> String {
    format!("{with}!({:?})", out.join(file).to_string_lossy())
}

fn stamp() -> Outcome<()> {
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    let commit = git(&["rev-parse", "--short=12", "HEAD"]);
    if commit.is_some() {
        watch_head();
    }
    let epoch = match env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text
            .parse()
            .map_err(|_| format!("SOURCE_DATE_EPOCH={text}: not a number of seconds"))?,
        Err(_) => match git(&["show", "-s", "--format=%ct", "HEAD"]) {
            Some(text) => text.parse()?,
            None => SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs(),
        },
    };
    println!(
        "cargo::rustc-env=BUILD_COMMIT={}",
        commit.as_deref().unwrap_or("unknown")
    );
    println!("cargo::rustc-env=BUILD_DATE={}", rfc3339(epoch));
    Ok(())
}

/// Builds again after a commit or a checkout. A path that does not exist would make cargo build every time.
fn watch_head() {
    let branch = git(&["symbolic-ref", "-q", "HEAD"]);
    for name in ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
        if let Some(path) =
            git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists())
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// What git says, when this folder is the root of a work tree: sources unpacked inside somebody else's have no commit.
fn git(arguments: &[&str]) -> Option<String> {
    let run = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    run(&["rev-parse", "--show-prefix"]).filter(String::is_empty)?;
    run(arguments)
}

/// Seconds since 1970-01-01 UTC as a date and time; the date by H. Hinnant's `civil_from_days`, for years from 1970 on.
fn rfc3339(epoch: u64) -> String {
    let (days, seconds) = (epoch / 86_400, epoch % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}
