//! Which way imports go: the map of `docs/ARCHITECTURE.md` against every path that the sources name, and how long handlers are.
//! What only tests see is left out. A re-export is no import: a path leads to the file that has what it names. Nor is it one where
//! a module names what lies in its own folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Sources by the names of their modules, such as `http::routes::outbox`.
type Sources = BTreeMap<String, String>;

/// Modules by the modules that import them.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Crates that only these rooms name.
const CRATES: [(&str, &[&str]); 8] = [
    ("rusqlite", &["store"]),
    ("axum", &["app", "http"]),
    ("hyper", &["http"]),
    ("tower", &["http"]),
    ("tokio", &["app", "http", "rounds", "tls"]),
    ("ureq", &["deliveries"]),
    ("lettre", &["config", "deliveries"]),
    ("rustls_acme", &["tls"]),
];
/// Lines of a handler, from its `pub async fn` to its end.
const HANDLER: usize = 25;

fn read_sources() -> Sources {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut sources = Sources::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for file in fs::read_dir(folder).expect("a folder") {
            let path = file.expect("a file").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&root).expect("it is below");
            let name = name.to_str().expect("a name").trim_end_matches(".rs");
            let name = name.trim_end_matches("/mod").replace('/', "::");
            let is_test = name.ends_with("tests") || name.contains("tests::");
            // The library and the executable name every room.
            if !is_test && name != "lib" && name != "main" {
                sources.insert(name, fs::read_to_string(path).expect("a text"));
            }
        }
    }
    sources
}

/// The code without comments, texts and what only tests see, as rustfmt lays it out.
fn code_of(source: &str) -> String {
    let mut code = String::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        let inner = line.trim_start();
        if inner.starts_with("#[cfg(test)]") {
            let indent = &line[..line.len() - inner.len()];
            let ends = |line: &str| {
                let rest = line.strip_prefix(indent).unwrap_or(" ");
                rest.starts_with('}') || !rest.starts_with(' ') && line.ends_with(';')
            };
            lines.find(|line| ends(line));
        } else if !inner.starts_with("//") {
            code.extend(line.split('"').step_by(2));
            code.push('\n');
        }
    }
    code
}

/// The paths of a tree such as `a::{b, c::{self, d as e}}`.
fn expand(tree: &str) -> Vec<String> {
    let Some((stem, branches)) = tree.split_once('{') else {
        return vec![tree.trim().to_owned()];
    };
    let (mut paths, mut depth, mut branch) = (Vec::new(), 0, String::new());
    for character in branches.chars() {
        match character {
            ',' | '}' if depth == 0 => {
                if !branch.trim().is_empty() {
                    paths.extend(expand(&format!("{stem}{}", branch.trim())));
                }
                branch.clear();
                continue;
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        branch.push(character);
    }
    paths
}

/// The tree of a `use` that begins in a line, and whether it is a re-export.
fn use_in(line: &str) -> Option<(&str, bool)> {
    if let Some(tree) = line.strip_prefix("use ") {
        return Some((tree, false));
    }
    let (before, tree) = line.split_once(" use ")?;
    before.starts_with("pub").then_some((tree, true))
}

/// The paths that a module names.
#[derive(Default)]
struct Named {
    imports: Vec<String>,
    exports: Vec<String>,
}

impl Named {
    fn by(code: &str) -> Self {
        let mut named = Self::default();
        let mut lines = code.lines();
        let part_of_path =
            |character: char| character.is_alphanumeric() || "_:".contains(character);
        while let Some(line) = lines.next() {
            let Some((tree, public)) = use_in(line.trim_start()) else {
                let words = line.split(|character| !part_of_path(character));
                let paths = words.filter(|word| word.contains("::"));
                let paths = paths.map(|path| path.trim_end_matches(':').to_owned());
                named.imports.extend(paths);
                continue;
            };
            let mut tree = tree.to_owned();
            while !tree.ends_with(';') {
                tree.push_str(lines.next().map_or(";", str::trim));
            }
            let paths = expand(tree.trim_end_matches(';'));
            if public {
                named.exports.extend(paths);
            } else {
                named.imports.extend(paths);
            }
        }
        named
    }
}

/// All that the sources name.
struct House {
    modules: BTreeMap<String, Named>,
    /// Where a re-exported name leads.
    exports: BTreeMap<String, String>,
}

impl House {
    fn of(sources: &Sources) -> Self {
        let named =
            |(module, source): (&String, &String)| (module.clone(), Named::by(&code_of(source)));
        let modules = sources.iter().map(named).collect();
        let mut house = Self {
            modules,
            exports: BTreeMap::new(),
        };
        for (module, named) in &house.modules {
            for path in &named.exports {
                let Some(target) = house.whole(module, path) else {
                    continue;
                };
                let alias = path.rsplit_once(" as ").map(|(_, alias)| alias);
                let name = alias.or(target.rsplit("::").next()).expect("a name");
                house.exports.insert(format!("{module}::{name}"), target);
            }
        }
        house
    }

    /// A path that a module names, from the root; `None` for what is not of this house.
    fn whole(&self, module: &str, path: &str) -> Option<String> {
        let path = path.split(" as ").next()?;
        let path = path.trim_end_matches("::self").trim_end_matches("::*");
        if let Some(rest) = path.strip_prefix("crate::") {
            return Some(rest.to_owned());
        }
        let (mut from, mut rest) = (module, path);
        while let Some(above) = rest.strip_prefix("super::") {
            (from, rest) = (from.rsplit_once("::").map_or("", |(above, _)| above), above);
        }
        rest = rest.strip_prefix("self::").unwrap_or(rest);
        let found = format!("{from}::{rest}")
            .trim_start_matches("::")
            .to_owned();
        let child = rest.split("::").next()?;
        let is_child = self.modules.contains_key(&format!("{module}::{child}"));
        (rest != path || is_child).then_some(found)
    }

    /// The module that has what a path from the root names.
    fn module_of(&self, mut path: String) -> Option<String> {
        // A re-export may lead to another.
        for _ in 0..3 {
            let leads = ends(&path).find_map(|end| {
                let target = self.exports.get(&path[..end])?;
                Some(format!("{target}{}", &path[end..]))
            });
            path = leads.unwrap_or(path);
        }
        let known = |end: &usize| self.modules.contains_key(&path[..*end]);
        let found = ends(&path).filter(known).last();
        found.map(|end| path[..end].to_owned())
    }

    fn imports(&self) -> Imports {
        let of = |(module, named): (&String, &Named)| {
            let paths = named.imports.iter();
            let whole = paths.filter_map(|path| self.module_of(self.whole(module, path)?));
            let others = whole.filter(|other| other != module);
            (module.clone(), others.collect())
        };
        self.modules.iter().map(of).collect()
    }
}

/// Where the names of a path end, the shortest first.
fn ends(path: &str) -> impl Iterator<Item = usize> {
    path.match_indices("::")
        .map(|(at, _)| at)
        .chain([path.len()])
}

fn room(module: &str) -> &str {
    module.split("::").next().unwrap_or_default()
}

/// The rooms as the document orders them, each layer above those that it may import.
fn layers(document: &str) -> Vec<BTreeSet<&str>> {
    let mut parts = document.split("## Which way imports go").skip(1);
    let part = parts.next().expect("a part");
    let map = part.split("```").nth(1).expect("a map");
    map.split('→')
        .map(|rooms| rooms.trim().trim_matches(['{', '}']).split(", ").collect())
        .collect()
}

/// What imports are not as the layers have it: each, in words.
fn wrong_ways(imports: &Imports, layers: &[BTreeSet<&str>]) -> Vec<String> {
    let height = |room: &str| layers.iter().position(|layer| layer.contains(room));
    let mut wrong = Vec::new();
    for (module, others) in imports {
        let from = room(module);
        if height(from).is_none() {
            wrong.push(format!("{from} has no place in the map"));
        }
        let apart = others.iter().filter(|other| room(other) != from);
        let up = apart.filter(|other| height(room(other)) <= height(from));
        wrong.extend(up.map(|other| format!("{module} imports {other}")));
    }
    wrong
}

/// The files that import each other, by way of others too.
fn circles(imports: &Imports) -> BTreeSet<Vec<&str>> {
    let reached = imports
        .keys()
        .map(|module| (&**module, reached_from(imports, module)));
    let reached: BTreeMap<&str, BTreeSet<&str>> = reached.collect();
    let circle = |module: &&str| {
        let around = reached[module].iter().copied();
        around
            .filter(|other| reached[other].contains(module))
            .collect::<Vec<_>>()
    };
    let circles = reached.keys().map(circle);
    circles.filter(|circle| circle.len() > 1).collect()
}

fn reached_from<'a>(imports: &'a Imports, module: &'a str) -> BTreeSet<&'a str> {
    let (mut reached, mut next) = (BTreeSet::new(), vec![module]);
    while let Some(module) = next.pop() {
        let below = format!("{module}::");
        let own = |other: &str| other.starts_with(&below);
        let others = imports[module].iter().map(String::as_str);
        next.extend(others.filter(|other| !own(other) && reached.insert(*other)));
    }
    reached
}

/// Rooms that name a crate which is not theirs.
fn strays(sources: &Sources) -> BTreeSet<(&str, &str)> {
    let mut strays = BTreeSet::new();
    for (module, source) in sources {
        let named = Named::by(&code_of(source));
        for path in named.imports.iter().chain(&named.exports) {
            let of = CRATES.iter().find(|(name, _)| room(path) == *name);
            let stray = of.filter(|(_, rooms)| !rooms.contains(&room(module)));
            strays.extend(stray.map(|(name, _)| (room(module), *name)));
        }
    }
    strays
}

#[test]
fn imports_go_the_way_of_the_map() {
    let sources = read_sources();
    let imports = House::of(&sources).imports();
    let arrows: usize = imports.values().map(BTreeSet::len).sum();
    assert!(arrows > 1_000, "{arrows} were found");
    let layers = layers(include_str!("../../docs/ARCHITECTURE.md"));
    assert_eq!(wrong_ways(&imports, &layers), [""; 0]);
    assert_eq!(circles(&imports), BTreeSet::new());
    assert_eq!(strays(&sources), BTreeSet::new());
    let rooms: BTreeSet<&str> = imports.keys().map(|module| room(module)).collect();
    let drawn = layers.iter().flatten().copied();
    let drawn: BTreeSet<&str> = drawn.filter(|room| *room != "main").collect();
    assert_eq!(drawn, rooms);
}

/// The control: a house in which every rule is broken once.
#[test]
fn a_circle_and_a_way_up_are_found() {
    let sources: Sources = [
        ("low", "use rusqlite::Row;\npub use deep::Thing;\n\n#[cfg(test)]\nmod tests {\n    use crate::high::Other;\n}\n"),
        ("low::deep", "use crate::{\n    low::side::Side,\n    high::Other as Seen,\n};\n"),
        ("low::side", "// crate::high::Other\nfn far() -> crate::low::far::Far {}\n"),
        ("low::far", "use super::Thing;\n"),
        ("high", "use crate::low::{self, Thing};\n"),
    ]
    .map(|(module, source)| (module.to_owned(), source.to_owned()))
    .into();
    let imports = House::of(&sources).imports();
    let layers = layers("## Which way imports go\n\n```\nhigh → {low, other}\n```\n");
    assert_eq!(wrong_ways(&imports, &layers), ["low::deep imports high"]);
    let round = vec!["high", "low::deep", "low::far", "low::side"];
    assert_eq!(circles(&imports), [round].into());
    assert_eq!(strays(&sources), [("low", "rusqlite")].into());
}

/// Handlers with more lines than they may have, by file.
fn long_handlers(sources: &Sources) -> Vec<String> {
    let mut long = Vec::new();
    for (module, source) in sources {
        for call in source.split("#[utoipa::path(").skip(1) {
            let Some((_, handler)) = call.split_once("\npub async fn ") else {
                continue;
            };
            let (body, _) = handler.split_once("\n}\n").unwrap_or((handler, ""));
            let lines = body.lines().count() + 1;
            if lines > HANDLER {
                let name = body.split('(').next().unwrap_or_default();
                long.push(format!("{module}::{name} has {lines} lines"));
            }
        }
    }
    long
}

#[test]
fn handlers_are_thin() {
    assert_eq!(long_handlers(&read_sources()), [""; 0]);
    let body = "    1;\n".repeat(24);
    let long = format!("#[utoipa::path(get)]\npub async fn long() {{\n{body}}}\n");
    let sources = [("routes".to_owned(), long)].into();
    assert_eq!(long_handlers(&sources), ["routes::long has 26 lines"]);
}

#[test]
fn readings_change_nothing_and_read_their_snapshot_alone() {
    let sources = read_sources();
    let mut looked = 0;
    let all = sources.iter();
    for (module, source) in all.filter(|(module, _)| room(module) == "readings") {
        let code = code_of(source);
        for way in [".store", ".enqueue(", ".write(", "Act<", "axum", "tokio"] {
            assert!(!code.contains(way), "{module} has {way}");
        }
        looked += 1;
    }
    assert!(looked > 10, "{looked}");
}
