//! Joins the scripts of the pages into few files without comments, so that a page loads quickly over
//! connections with a long round trip time.
//!
//! Browsers open six connections per HTTP/1.1 server, so that each script module costs time beside
//! its bytes. Modules stay as they are written in `assets/web/js`; this joiner understands only the
//! syntax that they use, and a test checks all of them: imports and exports of names, one per
//! statement, at the start of a line, and comments that begin a line or belong to a type.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Entries of the pages: the modules that a page loads together, and the name of their bundle. A
/// module that several entries need is in the bundle `shared`, except for [`LATER_ENTRY`]. Modules
/// that no entry imports statically, such as dialogs, stay separate files.
const SCRIPT_ENTRIES: [(&str, &[&str]); 5] = [
    ("page", &["page.js"]),
    ("cloud", &["page-cloud.js"]),
    ("library", &["page-library.js"]),
    ("chart", &["page-chart.js", "comments.js"]),
    (
        "editor",
        &[
            "page-editor.js",
            "panel-settings.js",
            "canvas-notes.js",
            "canvas-margins.js",
            "canvas-axes.js",
            "mark-bar.js",
        ],
    ),
];
/// An entry that runs only in pages that have run another entry before, and that other entry. Modules
/// that only these two need are in the bundle of the other one, because they may depend on its page.
const LATER_ENTRY: (&str, &str) = ("editor", "chart");
/// Modules that work in any page, and the name of their bundle. They and their imports are in this
/// bundle, unless they are shared or in an earlier one, because a dialog or component must not run
/// the entry of another page.
const PARTS: [(&str, &[&str]); 3] = [
    ("changes", &["document-journal.js", "document-tabs.js", "own-copy.js"]),
    (
        "dialogs",
        &[
            "draft-pictures.js",
            "library-dialogs.js",
            "library-model.js",
            "own-table.js",
            "table-content.js",
        ],
    ),
    ("components", &["grid.js", "settings-form.js"]),
];
/// Name of the bundle with the modules of several entries.
const SHARED: &str = "shared";

/// A script module, taken apart.
struct Module<'a> {
    /// Static imports, in order.
    imports: Vec<Import<'a>>,
    /// Names that the module exports.
    exports: Vec<&'a str>,
    /// Names that the module exports from other modules, with the names of the modules.
    reexports: Vec<(&'a str, &'a str)>,
    /// The statements, without imports, exports and comments.
    body: String,
}

/// A static import of a module.
struct Import<'a> {
    /// Name of the file.
    from: &'a str,
    /// Text between `import` and `from`: names in braces, or `* as name`. Empty if the module is
    /// only executed.
    names: &'a str,
}

/// Joins script modules.
///
/// `sources` are the texts of the modules by file name. Returns the files to serve by file name: the
/// bundles, the modules outside of bundles with changed imports, and for each module in a bundle a
/// file that exports the names of the module from the bundle.
pub fn join_scripts(sources: &BTreeMap<&str, &str>) -> BTreeMap<String, String> {
    let stripped: BTreeMap<&str, String> =
        sources.iter().map(|(name, text)| (*name, strip_script_comments(text))).collect();
    let modules: BTreeMap<&str, Module<'_>> =
        stripped.iter().map(|(name, text)| (*name, parse_module(text))).collect();
    let bundles = assign_bundles(&modules);
    let mut files = BTreeMap::new();
    for (name, module) in &modules {
        let text = match bundles.get(name) {
            Some(bundle) => write_forwarding_module(name, module, bundle),
            None => write_separate_module(module, &bundles),
        };
        files.insert((*name).to_owned(), text);
    }
    let names: BTreeSet<&str> = bundles.values().copied().collect();
    for bundle in names {
        files.insert(bundle_file(bundle), write_bundle(bundle, &modules, &bundles));
    }
    files
}

/// Returns the name of the script file that runs the module `name` of a page: its bundle if it has
/// one, else the module.
pub fn script_file(name: &str) -> String {
    SCRIPT_ENTRIES
        .iter()
        .find(|(_, entries)| entries.contains(&name))
        .map_or_else(|| name.to_owned(), |(bundle, _)| bundle_file(bundle))
}

/// Returns the name of the file of a bundle.
fn bundle_file(bundle: &str) -> String {
    format!("bundle-{bundle}.js")
}

/// Returns the text of a script without comments: those that begin a line, and type comments
/// (`/** @type … */`) within a line. Removes empty lines too.
fn strip_script_comments(text: &str) -> String {
    let mut stripped = String::with_capacity(text.len());
    let mut in_comment = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if in_comment {
            in_comment = !trimmed.contains("*/");
        } else if trimmed.starts_with("/*") && !trimmed.contains("*/") {
            in_comment = true;
        } else if !trimmed.is_empty() && !trimmed.starts_with("//") {
            let code = strip_type_comments(line);
            if !code.trim().is_empty() {
                stripped.push_str(&code);
                stripped.push('\n');
            }
        }
    }
    stripped
}

/// Returns a line of a script without the comments that start with `/** ` and end in the same line.
fn strip_type_comments(line: &str) -> String {
    let mut code = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, comment)) = rest.split_once("/** ") {
        let Some((_, after)) = comment.split_once("*/") else { break };
        code.push_str(before);
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    code.push_str(rest);
    code
}

/// Takes a module without comments apart.
fn parse_module(text: &str) -> Module<'_> {
    let mut module = Module {
        imports: Vec::new(),
        exports: Vec::new(),
        reexports: Vec::new(),
        body: String::new(),
    };
    let mut rest = text;
    while !rest.is_empty() {
        let line_end = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let starts_list = rest.starts_with("import ") || rest.starts_with("export {");
        // A list of names may have several lines.
        let end =
            if starts_list { rest.find(";\n").map_or(line_end, |end| end + 2) } else { line_end };
        let (statement, after) = rest.split_at(end);
        rest = after;
        if let Some(import) = statement.strip_prefix("import ") {
            module.imports.extend(parse_import(import));
        } else if let Some(list) = statement.strip_prefix("export {") {
            let (names, from) = list.split_once('}').unwrap_or((list, ""));
            let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
            match quoted_file(from) {
                Some(from) => module.reexports.extend(names.map(|name| (name, from))),
                None => module.exports.extend(names),
            }
        } else if let Some(declaration) = statement.strip_prefix("export ") {
            module.exports.extend(declared_name(declaration));
            module.body.push_str(declaration);
        } else {
            module.body.push_str(statement);
        }
    }
    module
}

/// Parses the text after `import`. Returns None if it names no file of the same folder.
fn parse_import(text: &str) -> Option<Import<'_>> {
    let from = quoted_file(text)?;
    let names = text.split_once(" from ").map_or("", |(names, _)| names.trim());
    Some(Import { from, names })
}

/// Returns the file in `"./file"`.
fn quoted_file(text: &str) -> Option<&str> {
    Some(text.split_once("\"./")?.1.split_once('"')?.0)
}

/// Returns the name that a declaration of a function, class or constant declares.
fn declared_name(declaration: &str) -> Option<&str> {
    let mut words = declaration
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != '$');
    words.find(|word| !["async", "function", "class", "const", ""].contains(word))
}

/// Returns the bundle of each module that is in one.
fn assign_bundles<'a>(modules: &BTreeMap<&'a str, Module<'a>>) -> BTreeMap<&'a str, &'static str> {
    let mut bundles = BTreeMap::new();
    for (bundle, entries) in SCRIPT_ENTRIES {
        for name in list_in_order(modules, entries) {
            let assigned = match bundles.get(name) {
                None => bundle,
                Some(earlier) if (bundle, *earlier) == LATER_ENTRY => earlier,
                Some(_) => SHARED,
            };
            bundles.insert(name, assigned);
        }
    }
    let mut placed = BTreeSet::new();
    for (part, names) in PARTS {
        for name in list_in_order(modules, names) {
            if bundles.get(name) != Some(&SHARED) && placed.insert(name) {
                bundles.insert(name, part);
            }
        }
    }
    bundles
}

/// Returns the modules that run when `entries` are loaded, each after those that it imports.
fn list_in_order<'a>(modules: &BTreeMap<&'a str, Module<'a>>, entries: &[&str]) -> Vec<&'a str> {
    /// Adds a module after its imports, unless it was visited.
    fn visit<'a>(
        name: &str,
        modules: &BTreeMap<&'a str, Module<'a>>,
        visited: &mut BTreeSet<&'a str>,
        order: &mut Vec<&'a str>,
    ) {
        let Some((name, module)) = modules.get_key_value(name) else { return };
        if !visited.insert(name) {
            return;
        }
        for from in static_imports(module) {
            visit(from, modules, visited, order);
        }
        order.push(name);
    }
    let (mut visited, mut order) = (BTreeSet::new(), Vec::new());
    for entry in entries {
        visit(entry, modules, &mut visited, &mut order);
    }
    order
}

/// Returns the files that a module imports statically.
fn static_imports<'a>(module: &'a Module<'_>) -> impl Iterator<Item = &'a str> {
    let imported = module.imports.iter().map(|import| import.from);
    imported.chain(module.reexports.iter().map(|(_, from)| *from))
}

/// Returns the name of the constant that holds the exports of a module in a bundle.
fn module_constant(file: &str) -> String {
    format!("${}", file.trim_end_matches(".js").replace('-', "_"))
}

/// Writes the file of a module that is in a bundle: it exports the names of the module.
fn write_forwarding_module(name: &str, module: &Module<'_>, bundle: &str) -> String {
    let constant = module_constant(name);
    let mut text = format!("import {{ {constant} }} from \"./{}\";\n", bundle_file(bundle));
    let reexported = module.reexports.iter().map(|(name, _)| *name);
    let names: Vec<&str> = module.exports.iter().copied().chain(reexported).collect();
    if !names.is_empty() {
        let _ = writeln!(text, "export const {{ {} }} = {constant};", names.join(", "));
    }
    text
}

/// Writes a module that is in no bundle: its imports of modules in bundles become imports of the
/// bundles.
fn write_separate_module(module: &Module<'_>, bundles: &BTreeMap<&str, &str>) -> String {
    let (mut imports, mut constants) = (String::new(), String::new());
    for Import { from, names } in &module.imports {
        match bundles.get(from) {
            Some(bundle) => {
                let constant = module_constant(from);
                let _ = writeln!(
                    imports,
                    "import {{ {constant} }} from \"./{}\";",
                    bundle_file(bundle)
                );
                constants += &write_import(&constant, names);
            }
            None if names.is_empty() => drop(writeln!(imports, "import \"./{from}\";")),
            None => drop(writeln!(imports, "import {names} from \"./{from}\";")),
        }
    }
    let mut exports = String::new();
    if !module.exports.is_empty() {
        let _ = writeln!(exports, "export {{ {} }};", module.exports.join(", "));
    }
    for (name, from) in &module.reexports {
        let _ = writeln!(exports, "export {{ {name} }} from \"./{from}\";");
    }
    format!("{imports}{constants}{}{exports}", replace_dynamic_imports(&module.body, bundles))
}

/// Writes a bundle: each module is a function that returns the exports.
fn write_bundle(
    bundle: &str,
    modules: &BTreeMap<&str, Module<'_>>,
    bundles: &BTreeMap<&str, &str>,
) -> String {
    let all: Vec<&str> =
        SCRIPT_ENTRIES.iter().chain(&PARTS).flat_map(|(_, names)| names.iter().copied()).collect();
    let order = list_in_order(modules, &all);
    let own: Vec<&str> = order
        .into_iter()
        .filter(|name| bundles.get(name).is_some_and(|of| *of == bundle))
        .collect();
    let mut foreign: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut text = String::new();
    for name in &own {
        let Some(module) = modules.get(name) else { continue };
        for from in static_imports(module) {
            if let Some(other) = bundles.get(from).filter(|other| **other != bundle) {
                foreign.entry(other).or_default().insert(module_constant(from));
            }
        }
        let _ = writeln!(text, "const {} = (() => {{", module_constant(name));
        for import in &module.imports {
            text += &write_import(&module_constant(import.from), import.names);
        }
        text += &replace_dynamic_imports(&module.body, bundles);
        let reexported = module
            .reexports
            .iter()
            .map(|(name, from)| format!("{name}: {}.{name}", module_constant(from)));
        let exports: Vec<String> =
            module.exports.iter().map(|name| (*name).to_owned()).chain(reexported).collect();
        let _ = writeln!(text, "return {{ {} }};\n}})();", exports.join(", "));
    }
    let mut imports = String::new();
    for (other, constants) in foreign {
        let constants: Vec<String> = constants.into_iter().collect();
        let _ = writeln!(
            imports,
            "import {{ {} }} from \"./{}\";",
            constants.join(", "),
            bundle_file(other)
        );
    }
    let exports: Vec<String> = own.iter().map(|name| module_constant(name)).collect();
    format!("{imports}{text}export {{ {} }};\n", exports.join(", "))
}

/// Writes the constants of an import of a module in a bundle. `names` is the text between `import`
/// and `from`.
fn write_import(constant: &str, names: &str) -> String {
    match names.strip_prefix("* as ") {
        Some(name) => format!("const {name} = {constant};\n"),
        None if names.is_empty() => String::new(),
        // `a as b` of an import is `a: b` of a constant.
        None => format!("const {} = {constant};\n", names.replace(" as ", ": ")),
    }
}

/// Returns the statements with `import("./file")` replaced for files in bundles.
fn replace_dynamic_imports(body: &str, bundles: &BTreeMap<&str, &str>) -> String {
    let mut replaced = String::with_capacity(body.len());
    let mut parts = body.split("import(\"./");
    replaced.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (file, after) = part.split_once("\")").unwrap_or((part, ""));
        let _ = match bundles.get(file) {
            Some(bundle) => write!(
                replaced,
                "import(\"./{}\").then((bundle) => bundle.{})",
                bundle_file(bundle),
                module_constant(file)
            ),
            None => write!(replaced, "import(\"./{file}\")"),
        };
        replaced.push_str(after);
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(sources: &[(&str, &str)]) -> BTreeMap<String, String> {
        join_scripts(&sources.iter().copied().collect())
    }

    #[test]
    fn modules_of_several_entries_are_in_the_shared_bundle() {
        let files = join(&[
            ("core.js", "/** Adds. */\nexport function add(a, b) {\n  return a + b;\n}\n"),
            ("page.js", "import { add as sum } from \"./core.js\";\nsum(1, 2);\n"),
            ("page-chart.js", "import * as core from \"./core.js\";\ncore.add(1, 2);\n"),
            (
                "dialog-a.js",
                "import { add } from \"./core.js\";\nexport const three = add(1, 2);\n",
            ),
        ]);
        let shared = "const $core = (() => {\nfunction add(a, b) {\n  return a + b;\n}\n\
                      return { add };\n})();\nexport { $core };\n";
        assert_eq!(files["bundle-shared.js"], shared);
        let page = "import { $core } from \"./bundle-shared.js\";\nconst $page = (() => {\n\
                    const { add: sum } = $core;\nsum(1, 2);\nreturn {  };\n})();\nexport { $page };\n";
        assert_eq!(files["bundle-page.js"], page);
        assert!(files["bundle-chart.js"].contains("const core = $core;\ncore.add(1, 2);"));
        let core = "import { $core } from \"./bundle-shared.js\";\nexport const { add } = $core;\n";
        assert_eq!(files["core.js"], core);
        let dialog = "import { $core } from \"./bundle-shared.js\";\nconst { add } = $core;\n\
                      const three = add(1, 2);\nexport { three };\n";
        assert_eq!(files["dialog-a.js"], dialog);
    }

    #[test]
    fn modules_run_after_their_imports_and_dynamic_imports_load_the_bundle() {
        let files = join(&[
            (
                "page.js",
                "import \"./b.js\";\nawait import(\"./page-chart.js\");\nimport(\"./d.js\");\n",
            ),
            (
                "b.js",
                "import {\n  one,\n  two,\n} from \"./c.js\";\nexport { one } from \"./c.js\";\n",
            ),
            ("c.js", "export const one = 1;\nexport const two = 2;\n"),
            ("d.js", "export {};\n"),
            ("page-chart.js", "import \"./chart.js\";\nexport class Chart {}\n"),
            ("page-editor.js", "import { a } from \"./chart.js\";\n"),
            ("chart.js", "export const a = 1;\n"),
        ]);
        assert!(files["bundle-chart.js"].contains("const $chart ="));
        assert!(
            files["bundle-editor.js"].starts_with("import { $chart } from \"./bundle-chart.js\"")
        );
        let page = &files["bundle-page.js"];
        let positions: Vec<usize> = ["const $c =", "const $b =", "const $page ="]
            .iter()
            .filter_map(|text| page.find(text))
            .collect();
        assert!(positions.len() == 3 && positions.is_sorted(), "{page}");
        assert!(page.contains("{\n  one,\n  two,\n} = $c;"), "{page}");
        assert!(page.contains("return { one: $c.one };"), "{page}");
        let dynamic = "await import(\"./bundle-chart.js\").then((bundle) => bundle.$page_chart);";
        assert!(page.contains(dynamic) && page.contains("import(\"./d.js\")"), "{page}");
    }

    #[test]
    fn comments_are_removed_but_no_text_that_looks_like_one() {
        let script = "// One\nlet a = \"http://x\"; // Two\n/**\n * Three\n */\n\
                      f((/** @type {A} */ b) => c);\n/** Four */\n";
        assert_eq!(strip_script_comments(script), "let a = \"http://x\"; // Two\nf((b) => c);\n");
    }
}
