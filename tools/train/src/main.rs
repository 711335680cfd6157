//! `make models`: trains the classifiers from `data/` and writes their weights; with `--check` it only says whether these are the
//! weights in the tree. Must never write weights that miss their goals.

mod care;
mod folds;
mod math;
mod routing;
mod softmax;

use std::path::Path;

use anyhow::{Result, ensure};

fn main() -> Result<()> {
    let check = std::env::args().any(|argument| argument == "--check");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    for (file, bytes) in [
        ("routing/head.bin", routing::head()?),
        ("care/head.bin", care::head()?),
    ] {
        let path = data.join(file);
        let same = std::fs::read(&path).is_ok_and(|kept| kept == bytes);
        ensure!(
            same || !check,
            "data/{file} is not what training gives: run `make models`"
        );
        if !same {
            std::fs::write(&path, &bytes)?;
        }
        println!(
            "\ndata/{file}: {}",
            if same { "as it was" } else { "written" }
        );
    }
    Ok(())
}
