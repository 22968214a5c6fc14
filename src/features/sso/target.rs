//! Paths to show after a sign-in.

/// Returns the path of a `RelayState` that an identity provider has chosen, or `/`. The path has one
/// slash at its beginning, and no backslash, percent sign, control character or character outside
/// ASCII, so that no browser can take it for another host.
pub fn relay_state_or_root(relay_state: Option<&str>) -> &str {
    relay_state.filter(|path| is_safe_path(path)).unwrap_or("/")
}

/// Returns whether a text is a path on this server without unusual characters.
fn is_safe_path(path: &str) -> bool {
    let mut chars = path.chars();
    chars.next() == Some('/')
        && chars.next() != Some('/')
        && path.chars().all(|char| char.is_ascii_graphic() && char != '\\' && char != '%')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_this_server_are_targets() {
        for path in ["/", "/documents/a?b=c", "/orgs/acme#x"] {
            assert_eq!(relay_state_or_root(Some(path)), path);
        }
        let unsafe_texts = [
            "",
            "documents",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/%2Fevil",
            "/a\nb",
            "/a b",
            "/\u{e9}",
            "/a\\b",
        ];
        for text in unsafe_texts {
            assert_eq!(relay_state_or_root(Some(text)), "/", "{text}");
        }
        assert_eq!(relay_state_or_root(None), "/");
    }
}
