//! Finds circles of imports between source files.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use super::source::Source;

/// Path of a module with the name of its crate first, such as `["chartroom_charts", "scene"]`.
type ModulePath = Vec<String>;

/// The modules that each module uses. A module is a source file.
pub struct ImportGraph {
    used: BTreeMap<ModulePath, BTreeSet<ModulePath>>,
}

impl ImportGraph {
    /// Reads the imports and paths of all sources, without tests.
    pub fn new(sources: &[Source<'_>]) -> Self {
        let modules: Vec<(ModulePath, &str)> = sources
            .iter()
            .filter_map(|source| {
                Some((crate_and_module(source.path)?, source.code_without_tests()))
            })
            .collect();
        let known: BTreeSet<&ModulePath> = modules.iter().map(|(module, _)| module).collect();
        let used = modules
            .iter()
            .map(|(module, code)| {
                let paths = list_paths(code).into_iter();
                let uses = paths.filter_map(|path| resolve(&path, module, &known)).collect();
                (module.clone(), uses)
            })
            .collect();
        Self { used }
    }

    /// Returns the imports that belong to a circle, as text. Empty if there is no circle.
    pub fn list_circles(&self) -> Vec<String> {
        let imports =
            self.used.iter().flat_map(|(from, uses)| uses.iter().map(move |to| (from, to)));
        imports
            .filter(|(from, to)| self.list_reachable(to).contains(from))
            .map(|(from, to)| format!("{} uses {}", from.join("::"), to.join("::")))
            .collect()
    }

    /// Returns a module and all modules that it uses directly or through others.
    fn list_reachable<'a>(&'a self, start: &'a ModulePath) -> BTreeSet<&'a ModulePath> {
        let mut reachable = BTreeSet::new();
        let mut waiting = vec![start];
        while let Some(module) = waiting.pop() {
            if reachable.insert(module) {
                waiting.extend(self.used.get(module).into_iter().flatten());
            }
        }
        reachable
    }
}

/// Returns the module of a source file of the packages in `src`. None for other files.
fn crate_and_module(path: &str) -> Option<ModulePath> {
    let path = path.strip_prefix("src/")?.strip_suffix(".rs")?;
    let (name, path) = if let Some(path) = path.strip_prefix("charts/") {
        ("chartroom_charts", path)
    } else if let Some(path) = path.strip_prefix("cloud/") {
        // Its tests are programs of their own.
        if path.starts_with("tests/") {
            return None;
        }
        ("chartroom_cloud", path)
    } else if let Some(path) = path.strip_prefix("platform/") {
        ("chartroom_platform", path)
    } else {
        ("chartroom", path)
    };
    let mut module = vec![name.to_owned()];
    module.extend(path.split('/').map(str::to_owned));
    module.pop_if(|last| matches!(last.as_str(), "mod" | "lib" | "main"));
    Some(module)
}

/// A path in the code, such as `crate::scene::Text`.
struct CodePath {
    parts: Vec<String>,
    /// Whether it is part of a `use` declaration.
    is_import: bool,
    /// Whether it is part of a `pub use` declaration.
    is_export: bool,
}

/// Returns all paths of at least two parts. A path with a group gives one path per member.
fn list_paths(code: &str) -> Vec<CodePath> {
    let mut paths = Vec::new();
    let mut position = 0;
    while let Some(rest) = code.get(position..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(is_identifier_char) {
            let before = code[..position].trim_end().strip_suffix("use").map(str::trim_end);
            let is_import = before.is_some();
            let is_export =
                before.is_some_and(|before| before.ends_with("pub") || before.ends_with(')'));
            let mut found = Vec::new();
            position += parse_path(rest, &[], &mut found);
            found.retain(|parts: &Vec<String>| parts.len() > 1);
            paths.extend(found.into_iter().map(|parts| CodePath { parts, is_import, is_export }));
        } else {
            position += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    paths
}

/// Appends the paths at the start of `text` to `found`, each after the parts `prefix`. Returns the
/// number of bytes read.
fn parse_path(text: &str, prefix: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut parts = prefix.to_vec();
    let mut read = 0;
    loop {
        let rest = &text[read..];
        let length = rest.find(|sign| !is_identifier_char(sign)).unwrap_or(rest.len());
        if length > 0 {
            parts.push(rest[..length].to_owned());
        }
        read += length;
        if let Some(after) = text[read..].strip_prefix("::{") {
            return read + 3 + parse_group(after, &parts, found);
        }
        match text[read..].strip_prefix("::") {
            Some(after) if after.starts_with(is_identifier_char) => read += 2,
            _ => break,
        }
    }
    found.push(parts);
    read
}

/// Appends the paths of a group, such as `Chart, scene::{Text}}`, to `found`. Returns the number of
/// bytes read, with the closing brace.
fn parse_group(text: &str, prefix: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut read = 0;
    while let Some(first) = text[read..].chars().next() {
        if first == '}' {
            return read + 1;
        }
        let is_path = is_identifier_char(first);
        read += if is_path { parse_path(&text[read..], prefix, found) } else { first.len_utf8() };
    }
    read
}

/// Returns whether a character can be part of an identifier.
fn is_identifier_char(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns the module that a path in `module` refers to.
///
/// None for the module itself, the root of a crate and other crates. Also None for the re-export of
/// a submodule, and for a call such as `backup::run` of a submodule that is not imported, because a
/// table of contents may call its chapters.
fn resolve(
    path: &CodePath,
    module: &ModulePath,
    known: &BTreeSet<&ModulePath>,
) -> Option<ModulePath> {
    let mut parts = path.parts.iter().map(String::as_str).peekable();
    let mut target: ModulePath = match *parts.peek()? {
        "crate" => module[..1].to_vec(),
        "self" => module.clone(),
        "super" => {
            let levels = path.parts.iter().take_while(|part| *part == "super").count();
            parts.by_ref().take(levels - 1).for_each(drop);
            module.get(..module.len().checked_sub(levels)?)?.to_vec()
        }
        name @ ("chartroom_charts" | "chartroom_cloud" | "chartroom_platform") => {
            vec![name.to_owned()]
        }
        name if path.is_import => {
            let child: ModulePath = module.iter().cloned().chain([name.to_owned()]).collect();
            known.contains(&child).then_some(child)?
        }
        _ => return None,
    };
    target.extend(parts.skip(1).map(str::to_owned));
    while !known.contains(&target) {
        target.pop()?;
    }
    let is_own_export = path.is_export && target.starts_with(module);
    (target.len() > 1 && target != *module && !is_own_export).then_some(target)
}

#[test]
fn planted_circles_are_found() {
    let circle = [
        Source::new("src/charts/kinds/pie.rs", "mod ring;\nuse ring::Ring;\npub struct Slice;"),
        Source::new("src/charts/kinds/pie/ring.rs", "use crate::kinds::{bar::Bar, pie::Slice};"),
        Source::new("src/charts/kinds/bar.rs", "use super::super::scene::Text;"),
        Source::new("src/charts/scene.rs", "// use crate::kinds::bar;\npub struct Text;"),
    ];
    assert_eq!(
        ImportGraph::new(&circle).list_circles(),
        [
            "chartroom_charts::kinds::pie uses chartroom_charts::kinds::pie::ring",
            "chartroom_charts::kinds::pie::ring uses chartroom_charts::kinds::pie",
        ]
    );
    let tree = [
        Source::new("src/features/mod.rs", "pub mod tree;\npub mod access;"),
        Source::new("src/features/tree/mod.rs", "mod store;\npub use store::Node;"),
        Source::new("src/features/tree/store.rs", "use crate::features::tree::Node;"),
        Source::new("src/features/access.rs", "fn read() { crate::features::tree::list() }"),
    ];
    assert_eq!(ImportGraph::new(&tree).list_circles(), Vec::<String>::new());
}
