//! Dependency rules of the source tree: layers of modules without cycles, and limits on what modules may use.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// Modules of `src` by layer, from the highest to the lowest. Modules of one layer do not import each other.
const LAYERS: [&[&str]; 14] = [
    &["main", "lib", "state"],
    &["server"],
    &["cli", "admin"],
    &["rate", "personal_data", "reports"],
    &["blog_posts", "rate_classes"],
    &["users", "safe_browsing"],
    &["custom_limits", "api"],
    &["images", "audit_log", "webhooks"],
    &["web"],
    &["mail", "page_cache"],
    &["db", "site", "signing", "limiter_decisions"],
    &["score", "access", "chart"],
    &["log", "i18n"],
    &["config", "text", "permits", "disk_space", "background_tasks"],
];

/// Module path in `src`, such as `["web", "view"]`.
type Module = Vec<String>;

/// Dependency of one source file on another.
type Dependency = (PathBuf, PathBuf);

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

pub fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries
        .flat_map(|path| if path.is_dir() { files(&path, extension) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|actual| actual == extension))
        .collect();
    paths.sort();
    paths
}

fn module_of(file: &Path) -> Module {
    let inside = file.strip_prefix(root().join("src")).unwrap().with_extension("");
    let mut module: Module = inside.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    module.pop_if(|last| ["mod", "lib"].contains(&last.as_str()));
    module
}

/// Paths that a file mentions, each with the module that contains the path, and the paths that the file re-exports by
/// `pub use`.
#[derive(Default)]
struct Paths {
    here: Module,
    mentioned: Vec<(Module, Vec<String>)>,
    re_exported: Vec<Vec<String>>,
}

impl Paths {
    fn of(file: &Path) -> Self {
        let mut paths = Self { here: module_of(file), ..Self::default() };
        paths.visit_file(&syn::parse_file(&std::fs::read_to_string(file).unwrap()).unwrap());
        for template in templates_of(file) {
            let text = std::fs::read_to_string(template).unwrap();
            let mentioned = text.split("crate::").skip(1).map(|rest| {
                let path: String = rest.chars().take_while(|c| c.is_alphanumeric() || "_:".contains(*c)).collect();
                format!("crate::{path}").split("::").map(str::to_owned).collect()
            });
            paths.mentioned.extend(mentioned.map(|path| (Module::new(), path)));
        }
        paths
    }
}

impl<'a> Visit<'a> for Paths {
    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        let mut imported = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut imported);
        if !matches!(item.vis, syn::Visibility::Inherited) {
            self.re_exported.extend(imported.clone());
        }
        self.mentioned.extend(imported.into_iter().map(|import| (self.here.clone(), import)));
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        self.here.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.here.pop();
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        // A path with one segment, as in `pub(super)`, names no item of another module.
        if segments.len() > 1 {
            self.mentioned.push((self.here.clone(), segments));
        }
        visit::visit_path(self, path);
    }
}

fn flatten(tree: &syn::UseTree, before: &mut Vec<String>, imported: &mut Vec<Vec<String>>) {
    match tree {
        syn::UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flatten(&path.tree, before, imported);
            before.pop();
        }
        syn::UseTree::Group(group) => group.items.iter().for_each(|item| flatten(item, before, imported)),
        syn::UseTree::Name(name) => imported.push([before.as_slice(), &[name.ident.to_string()]].concat()),
        syn::UseTree::Rename(rename) => imported.push([before.as_slice(), &[rename.ident.to_string()]].concat()),
        syn::UseTree::Glob(_) => imported.push(before.clone()),
    }
}

/// Templates that a source file renders, including the templates that these templates extend, import or include.
fn templates_of(file: &Path) -> BTreeSet<PathBuf> {
    let text = std::fs::read_to_string(file).unwrap();
    let quoted = |text: &str, before: &str| -> Vec<PathBuf> {
        let names = text.split(before).skip(1).filter_map(|rest| rest.split('"').next());
        names.map(|name| root().join("templates").join(name)).filter(|path| path.is_file()).collect()
    };
    let (mut templates, mut pending) = (BTreeSet::new(), quoted(&text, "template(path = \""));
    while let Some(template) = pending.pop() {
        let text = std::fs::read_to_string(&template).unwrap();
        for before in ["extends \"", "import \"", "include \""] {
            pending.extend(quoted(&text, before));
        }
        templates.insert(template);
    }
    templates
}

struct SourceTree {
    modules: BTreeMap<Module, PathBuf>,
    paths: BTreeMap<Module, Paths>,
}

impl SourceTree {
    fn read() -> Self {
        let files = files(&root().join("src"), "rs");
        let modules: BTreeMap<Module, PathBuf> = files.iter().map(|file| (module_of(file), file.clone())).collect();
        let paths = modules.iter().map(|(module, file)| (module.clone(), Paths::of(file))).collect();
        Self { modules, paths }
    }

    /// Returns the file that defines the item that `path` names in module `here`.
    fn resolve(&self, here: &Module, path: &[String]) -> Option<&PathBuf> {
        let (first, mut rest) = path.split_first()?;
        let mut base = match first.as_str() {
            "crate" | "evenkeel" => Module::new(),
            "self" => here.clone(),
            "super" => here[..here.len().checked_sub(1)?].to_vec(),
            _ => return None,
        };
        while let Some((next, others)) = rest.split_first() {
            if next == "super" {
                base.pop()?;
            } else if self.modules.contains_key(&[base.as_slice(), std::slice::from_ref(next)].concat()) {
                base.push(next.clone());
            } else {
                // A re-exported name belongs to the module that defines it.
                let re_exported = self.paths.get(&base).map(|paths| paths.re_exported.as_slice()).unwrap_or_default();
                let origin = re_exported.iter().find(|import| import.last() == Some(next) && import.as_slice() != path);
                if let Some(file) = origin.and_then(|origin| self.resolve(&base, origin)) {
                    return Some(file);
                }
                break;
            }
            rest = others;
        }
        // Items and inline modules belong to the file of the innermost module that has a file.
        (0..=base.len()).rev().find_map(|length| self.modules.get(&base[..length])).filter(|_| !base.is_empty())
    }

    /// Dependencies between files, except on `state.rs`: views of all apps take `AppState`, which has the services of
    /// all apps. Only views may use it, so that services depend on what they need.
    fn dependencies(&self) -> BTreeSet<Dependency> {
        let state = root().join("src/state.rs");
        let of_module = |(module, paths): (&Module, &'_ Paths)| {
            let from = self.modules[module].clone();
            let targets = paths.mentioned.iter().filter_map(|(here, path)| self.resolve(here, path).cloned());
            targets
                .map(move |to| (from.clone(), to))
                .filter(|(from, to)| from != to && *to != state)
                .collect::<Vec<_>>()
        };
        self.paths.iter().flat_map(of_module).collect()
    }
}

fn describe((from, to): &Dependency) -> String {
    let short = |path: &Path| path.strip_prefix(root()).unwrap().display().to_string();
    format!("{} -> {}", short(from), short(to))
}

fn layer(file: &Path) -> usize {
    let inside = file.strip_prefix(root().join("src")).unwrap();
    let first = Path::new(inside.iter().next().unwrap()).with_extension("");
    let name = first.to_str().unwrap();
    LAYERS.iter().position(|layer| layer.contains(&name)).unwrap_or_else(|| panic!("{name} belongs to no layer"))
}

fn folder(file: &Path) -> PathBuf {
    file.strip_prefix(root().join("src")).unwrap().iter().next().unwrap().into()
}

#[test]
fn modules_import_only_lower_layers() {
    let dependencies = SourceTree::read().dependencies();
    assert!(dependencies.len() > 200, "the test finds too few imports");
    let is_wrong = |dependency: &&Dependency| {
        let (from, to) = (layer(&dependency.0), layer(&dependency.1));
        from > to || (from == to && folder(&dependency.0) != folder(&dependency.1))
    };
    let violations: Vec<String> = dependencies.iter().filter(is_wrong).map(describe).collect();
    assert!(
        violations.is_empty(),
        "imports from a higher layer, or from another module of the same layer:\n{}",
        violations.join("\n")
    );
}

#[test]
fn modules_have_no_import_cycles() {
    let mut dependencies = SourceTree::read().dependencies();
    // Removes dependencies on files that import no remaining file, because these files cannot be part of a cycle.
    loop {
        let importers: BTreeSet<PathBuf> = dependencies.iter().map(|(from, _)| from.clone()).collect();
        let before = dependencies.len();
        dependencies.retain(|(_, to)| importers.contains(to));
        if dependencies.len() == before {
            break;
        }
    }
    // Removes dependencies of files that no remaining file imports, because these files cannot be part of a cycle.
    loop {
        let imported: BTreeSet<PathBuf> = dependencies.iter().map(|(_, to)| to.clone()).collect();
        let before = dependencies.len();
        dependencies.retain(|(from, _)| imported.contains(from));
        if dependencies.len() == before {
            break;
        }
    }
    let cycles: Vec<String> = dependencies.iter().map(describe).collect();
    assert!(cycles.is_empty(), "import cycles:\n{}", cycles.join("\n"));
}

/// Files that contain one of the given strings, relative to `src`.
fn files_with(parts: &[&str]) -> Vec<String> {
    let all = [
        "src",
        "crates/embedded-postgres/src",
        "crates/image-encoding/src",
        "crates/importers/src",
        "crates/markdown/src",
    ]
    .map(|folder| files(&root().join(folder), "rs"));
    let matching = all.into_iter().flatten().filter(|file| {
        let text = std::fs::read_to_string(file).unwrap();
        parts.iter().any(|part| text.contains(part))
    });
    matching.map(|file| file.strip_prefix(root()).unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn processes_and_connections_are_created_only_in_listed_files() {
    let starting = ["Command::new(\"", "Command::new(program)", "Command::new(bin.join", "Command::new(self.bin"];
    assert_eq!(files_with(&starting), files_with(&["Command::new("]), "another way to name a program");
    assert_eq!(
        files_with(&starting),
        [
            "src/cli/backup/client_programs.rs",
            "crates/embedded-postgres/src/binaries.rs",
            "crates/embedded-postgres/src/server_user.rs",
            "crates/image-encoding/src/sandbox.rs"
        ]
    );
    // Only these files run a shell. The scripts are constants, and variable values are passed as arguments.
    let shells = ["crates/embedded-postgres/src/server.rs", "crates/embedded-postgres/src/server_user.rs"];
    assert_eq!(files_with(&["/bin/sh", "\"sh\"", "\"bash\""]), shells);
    // Files that open outgoing connections, in the order of "Outgoing connections" in docs/topics/security.md.
    for (target, opening, allowed) in [
        (
            "the database",
            &["PgConnectOptions::", "PgConnectOptions>"][..],
            &["src/db/", "crates/embedded-postgres/"][..],
        ),
        ("mail", &["SmtpConnection"], &["src/mail/"]),
        ("S3", &["AmazonS3Builder"], &["src/images/store.rs"]),
        ("Safe Browsing and webhooks", &["reqwest::"], &["src/safe_browsing/", "src/webhooks/delivery.rs"]),
        ("itself", &["TcpStream::connect", "UnixStream::connect", "UdpSocket"], &["crates/embedded-postgres/"]),
    ] {
        let connecting = files_with(opening);
        assert!(!connecting.is_empty(), "{target}");
        for file in connecting {
            assert!(allowed.iter().any(|folder| file.starts_with(folder)), "{file} connects to {target}");
        }
    }
}

#[test]
fn scripts_do_not_evaluate_text_as_code_or_html() {
    let scripts = ["api.js", "autosave.js", "formatting.js", "settings.js", "site.js", "writing.js"]
        .map(|name| std::fs::read_to_string(root().join("static").join(name)).unwrap());
    let all = scripts.concat();
    for part in [
        "eval(",
        "new Function",
        "document.write",
        "insertAdjacentHTML",
        "outerHTML",
        "__proto__",
        "onpaste",
        "setTimeout(\"",
    ] {
        assert!(!all.contains(part), "{part}");
    }
    // `innerHTML` is set only to a constant and to HTML that the server has rendered and sanitized.
    let assigned: Vec<&str> =
        all.split(".innerHTML = ").skip(1).map(|rest| rest.split(['<', ';']).next().unwrap()).collect();
    assert_eq!((assigned, all.matches("innerHTML").count()), (vec!["'", "html"], 2));
    assert_eq!(files(&root().join("static"), "js").len(), scripts.len());
}

#[test]
fn cryptography_comes_from_listed_crates() {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    // MD5 is allowed, because `PostgreSQL` servers may request MD5 password authentication.
    for broken in ["md4", "rc4", "des", "blowfish", "openssl", "native-tls"] {
        assert!(!lock.contains(&format!("name = \"{broken}\"\n")), "{broken}");
    }
    // SHA-1 is used only for TOTP, because RFC 6238 specifies HMAC-SHA-1.
    assert_eq!(files_with(&["sha1", "Sha1", "SHA1"]), Vec::<String>::new());
    assert_eq!(files_with(&["totp_rs::"]), ["src/users/two_factor/totp.rs"]);
    let hashing = ["src/users/password/django_hash.rs", "src/users/password/mod.rs"];
    assert_eq!(files_with(&["argon2::", "pbkdf2::"]), hashing);
    assert_eq!(files_with(&["hmac::"]), ["src/signing.rs", "src/users/password/django_hash.rs"]);
}
