//! Names of browsers and systems for people, from the `User-Agent` of a session.

use chartroom_platform::language;

/// A part of a `User-Agent`, and the name that it stands for.
type Rule = (&'static str, &'static str);

/// Browsers. The first match counts, because most browsers also name others for compatibility.
const BROWSERS: [Rule; 11] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Vivaldi/", "Vivaldi"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
];

/// Systems. The first match counts: Android names Linux, and iPhones name macOS.
const SYSTEMS: [Rule; 9] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
    ("X11", "Unix"),
];

/// Describes a browser in words, such as `Firefox on Windows`.
pub fn describe_device(user_agent: &str) -> String {
    let find = |rules: &[Rule]| {
        rules.iter().find(|(part, _)| user_agent.contains(part)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => language::fill("account.browserOnSystem")
            .with("browser", browser)
            .with("system", system)
            .into(),
        (Some(name), None) => name.to_owned(),
        (None, Some(system)) => {
            language::fill("account.unknownBrowserOnSystem").with("system", system).into()
        }
        (None, None) => language::text("account.unknownBrowser").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_and_systems_have_names() {
        let check = |user_agent: &str, want: &str| {
            assert_eq!(describe_device(user_agent), want, "{user_agent}");
        };
        let chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0";
        check(
            &format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {chrome} Safari/537.36"),
            "Chrome on Windows",
        );
        check(
            &format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {chrome} Safari/537.36 Edg/140.0"),
            "Edge on Windows",
        );
        check(
            &format!("Mozilla/5.0 (Linux; Android 15; Pixel 9) {chrome} Mobile Safari/537.36"),
            "Chrome on Android",
        );
        check(
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Firefox on Linux",
        );
        check(
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like \
             Gecko) Version/18.0 Safari/605.1.15",
            "Safari on macOS",
        );
        check(
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, \
             like Gecko) FxiOS/140.0 Mobile/15E148 Safari/605.1.15",
            "Firefox on iPhone",
        );
        check("curl/8.14.1", "curl");
        check("Mozilla/5.0 (X11; Linux x86_64)", "Unknown browser on Linux");
        check("", "Unknown browser");
    }
}
