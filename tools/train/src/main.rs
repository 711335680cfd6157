//! `make models`: trains the classifiers from `models/` and writes their weights; with `--check` it only says whether these are the
//! weights in the tree. `stories FILE` groups the reports of a file instead. Must never write weights that miss their goals.

mod care;
mod folds;
mod math;
mod routing;
mod softmax;
mod stories;

use std::path::Path;

use anyhow::{Result, ensure};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [command, file] = arguments.as_slice()
        && command == "stories"
    {
        println!("{}", stories::grouped(&std::fs::read_to_string(file)?)?);
        return Ok(());
    }
    let check = arguments.iter().any(|argument| argument == "--check");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let [rarity, grams] = stories::tables()?;
    for (file, bytes) in [
        ("stories/rarity.bin", rarity),
        ("stories/grams.bin", grams),
        ("stories/weights.json", stories::weights()?),
        ("routing/head.bin", routing::head()?),
        ("care/head.bin", care::head()?),
    ] {
        let path = models.join(file);
        let same = std::fs::read(&path).is_ok_and(|kept| kept == bytes);
        ensure!(
            same || !check,
            "models/{file} is not what training gives: run `make models`"
        );
        if !same {
            std::fs::write(&path, &bytes)?;
        }
        println!(
            "\nmodels/{file}: {}",
            if same { "as it was" } else { "written" }
        );
    }
    Ok(())
}
