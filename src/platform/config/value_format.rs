//! Text formats of setting values, for the settings file, the environment and the flags.

use std::fmt;
use std::marker::PhantomData;
use std::net::IpAddr;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use ipnet::IpNet;

use super::keywords::KeywordValue;

const SECONDS_PER_DAY: u64 = 86_400;

/// A text format for values of type `T`.
pub trait ValueFormat<T> {
    /// Whether the value must never be shown.
    const IS_SECRET: bool = false;

    /// Returns a description of valid values for error messages: `a whole number`.
    fn expected_format() -> String;

    /// Parses a value.
    ///
    /// # Errors
    /// Returns the reason why the text is invalid. The caller appends the expected format.
    fn parse(text: &str) -> Result<T, String>;

    /// Formats a value such that [`ValueFormat::parse`] can read it. A secret becomes `(set)`, or
    /// an empty text if it is not set.
    fn format(value: &T) -> String;
}

/// Format of any text.
pub struct Text;
/// Format of a non-empty path in the file system.
pub struct Path;
/// Format of an IP address and a port: `127.0.0.1:8080`.
pub struct SocketAddress;
/// Format of the base of `http` and `https` URLs, without path and query.
pub struct BaseUrl;
/// Format of a whole number.
pub struct Number;
/// Format of a number of bytes, optionally with a unit: `16 MiB`.
pub struct ByteSize;
/// Format of a duration: `45 s`.
pub struct TimeSpan;
/// Format of a keyword, see [`KeywordValue`].
pub struct Keyword;
/// Format of a comma-separated list of name servers.
pub struct NameServers;
/// Format of an `http` or `https` URL with a path.
pub struct EndpointUrl;
/// Format of a comma-separated list of IP networks.
pub struct IpNetworks;
/// Format of a comma-separated list of ports.
pub struct Ports;
/// Format of a secret text.
pub struct SecretText;
/// Format of an optional value. The empty text means None.
pub struct Optional<F>(PhantomData<F>);

/// A secret such as a password. `Debug` does not print its text.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Returns the secret text. Do not log or print it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns whether the secret is not set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Secret {
    /// Writes `(set)`, or nothing if the secret is not set. Never writes its text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&<SecretText as ValueFormat<Self>>::format(self))
    }
}

impl<W: KeywordValue> ValueFormat<W> for Keyword {
    /// Returns `one of` and all keywords in their order, separated by commas.
    fn expected_format() -> String {
        let keywords: Vec<&str> = W::KEYWORDS.iter().map(|(keyword, _)| *keyword).collect();
        format!("one of {}", keywords.join(", "))
    }

    /// Parses one of the keywords. Upper and lower case differ.
    fn parse(text: &str) -> Result<W, String> {
        let found = W::KEYWORDS.iter().find(|(keyword, _)| *keyword == text);
        found.map(|(_, value)| *value).ok_or_else(|| format!("{text:?} is invalid"))
    }

    /// Returns the canonical keyword of the value.
    fn format(value: &W) -> String {
        value.keyword().to_owned()
    }
}

impl<T, F: ValueFormat<T>> ValueFormat<Option<T>> for Optional<F> {
    const IS_SECRET: bool = F::IS_SECRET;

    /// Returns the description of the inner format, which does not mention the empty text.
    fn expected_format() -> String {
        F::expected_format()
    }

    /// Parses the empty text as None, and other text in the inner format.
    fn parse(text: &str) -> Result<Option<T>, String> {
        if text.is_empty() { Ok(None) } else { F::parse(text).map(Some) }
    }

    /// Formats None as the empty text, and other values in the inner format.
    fn format(value: &Option<T>) -> String {
        value.as_ref().map_or_else(String::new, F::format)
    }
}

impl ValueFormat<String> for Text {
    /// Returns the description of a text.
    fn expected_format() -> String {
        "a text".to_owned()
    }

    /// Returns the text unchanged. Accepts every text, also the empty one.
    fn parse(text: &str) -> Result<String, String> {
        Ok(text.to_owned())
    }

    /// Returns the text unchanged.
    fn format(value: &String) -> String {
        value.clone()
    }
}

impl ValueFormat<Secret> for SecretText {
    const IS_SECRET: bool = true;

    /// Returns the description of a text.
    fn expected_format() -> String {
        "a text".to_owned()
    }

    /// Returns the whole text as a secret. Accepts every text. The empty one means not set.
    fn parse(text: &str) -> Result<Secret, String> {
        Ok(Secret(text.to_owned()))
    }

    /// Returns `(set)`, or an empty text if the secret is not set. Never returns its text.
    fn format(value: &Secret) -> String {
        if value.is_empty() { String::new() } else { "(set)".to_owned() }
    }
}

impl ValueFormat<PathBuf> for Path {
    /// Returns the description of a path.
    fn expected_format() -> String {
        "a path".to_owned()
    }

    /// Returns the text as a path. Fails only for the empty text. Does not check that the path exists.
    fn parse(text: &str) -> Result<PathBuf, String> {
        if text.is_empty() { Err("is empty".to_owned()) } else { Ok(PathBuf::from(text)) }
    }

    /// Formats the path. Bytes that are not UTF-8 are replaced.
    fn format(value: &PathBuf) -> String {
        value.display().to_string()
    }
}

impl ValueFormat<SocketAddr> for SocketAddress {
    /// Returns the description of an IP address and a port, with an example.
    fn expected_format() -> String {
        "an IP address and a port such as 127.0.0.1:8080".to_owned()
    }

    /// Parses an IP address and a port. `localhost` means 127.0.0.1, and other host names fail, because
    /// no name resolver exists before the server starts.
    fn parse(text: &str) -> Result<SocketAddr, String> {
        let text = match text.strip_prefix("localhost:") {
            Some(port) => format!("127.0.0.1:{port}"),
            None => text.to_owned(),
        };
        text.parse().map_err(|_| format!("{text:?} is invalid"))
    }

    /// Formats the address and the port, such as `127.0.0.1:8080`.
    fn format(value: &SocketAddr) -> String {
        value.to_string()
    }
}

impl ValueFormat<String> for BaseUrl {
    /// Returns the description of a URL, with an example.
    fn expected_format() -> String {
        "a URL such as https://charts.example.org".to_owned()
    }

    /// Parses an `http` or `https` URL and removes slashes at its end. Fails if it has a path or a
    /// query.
    fn parse(text: &str) -> Result<String, String> {
        let text = text.trim_end_matches('/');
        let uri: hyper::Uri = text.parse().map_err(|_| format!("{text:?} is invalid"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err("must start with http:// or https://".to_owned());
        }
        if uri.query().is_some() || !matches!(uri.path(), "" | "/") {
            return Err("must not have a path or a query".to_owned());
        }
        Ok(text.to_owned())
    }

    /// Returns the URL unchanged.
    fn format(value: &String) -> String {
        value.clone()
    }
}

impl ValueFormat<String> for EndpointUrl {
    /// Returns the description of a URL, with an example.
    fn expected_format() -> String {
        "a URL such as https://login.example.org/oauth2/token".to_owned()
    }

    /// Parses an `http` or `https` URL without a query and fragment.
    fn parse(text: &str) -> Result<String, String> {
        // The setting may have a placeholder, which is no character of a URL.
        let uri: hyper::Uri =
            text.replace(['{', '}'], "").parse().map_err(|_| format!("{text:?} is invalid"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err("must start with http:// or https://".to_owned());
        }
        if uri.query().is_some() || text.contains('#') {
            return Err("must not have a query or a fragment".to_owned());
        }
        Ok(text.to_owned())
    }

    /// Returns the URL unchanged.
    fn format(value: &String) -> String {
        value.clone()
    }
}

/// Applies to all integer types.
impl<T: FromStr + fmt::Display + Copy> ValueFormat<T> for Number {
    /// Returns the description of a whole number.
    fn expected_format() -> String {
        "a whole number".to_owned()
    }

    /// Parses a whole number within the range of `T`. Ignores underscores: `1_000` is 1000.
    fn parse(text: &str) -> Result<T, String> {
        let digits: String = text.chars().filter(|char| *char != '_').collect();
        digits.parse().map_err(|_| format!("{text:?} is invalid or out of range"))
    }

    /// Formats the number in digits without underscores.
    fn format(value: &T) -> String {
        value.to_string()
    }
}

/// Applies to all integer types that convert from and to `u64`.
impl<T: TryFrom<u64> + TryInto<u64> + Copy> ValueFormat<T> for ByteSize {
    /// Returns the description of a number of bytes, with an example.
    fn expected_format() -> String {
        "a number of bytes, or a size such as 16 MiB".to_owned()
    }

    /// Parses a whole number of bytes with an optional unit: `KiB`, `MiB` or `GiB`. Underscores are
    /// ignored. Fails if the size does not fit into `T`.
    fn parse(text: &str) -> Result<T, String> {
        let (number, unit) = split_unit(text);
        let shift = match unit.trim() {
            "" => 0,
            "KiB" => 10,
            "MiB" => 20,
            "GiB" => 30,
            other => return Err(format!("{other:?} is not KiB, MiB or GiB")),
        };
        let number: u64 = <Number as ValueFormat<u64>>::parse(number)?;
        let bytes = number.checked_mul(1 << shift).and_then(|bytes| T::try_from(bytes).ok());
        bytes.ok_or_else(|| "is too large".to_owned())
    }

    /// Formats the number with the largest unit of which it is a multiple.
    fn format(value: &T) -> String {
        let bytes: u64 = (*value).try_into().unwrap_or(u64::MAX);
        let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
        match units.iter().find(|(shift, _)| bytes != 0 && bytes.is_multiple_of(1 << shift)) {
            Some((shift, unit)) => format!("{} {unit}", bytes >> shift),
            None => bytes.to_string(),
        }
    }
}

impl ValueFormat<Duration> for TimeSpan {
    /// Returns the description of a duration, with an example of each unit.
    fn expected_format() -> String {
        "a duration such as 45 s, 250 ms, 2 min or 30 d".to_owned()
    }

    /// Parses a whole number and an optional unit: `ms`, `s`, `min` or `d`. Without a unit it is
    /// seconds. Underscores are ignored.
    fn parse(text: &str) -> Result<Duration, String> {
        let (number, unit) = split_unit(text);
        let number: u64 = <Number as ValueFormat<u64>>::parse(number)?;
        match unit.trim() {
            "ms" => Ok(Duration::from_millis(number)),
            "s" | "" => Ok(Duration::from_secs(number)),
            "min" => Ok(Duration::from_secs(number.saturating_mul(60))),
            "d" => Ok(Duration::from_secs(number.saturating_mul(SECONDS_PER_DAY))),
            other => Err(format!("{other:?} is not ms, s, min or d")),
        }
    }

    /// Formats whole days in `d`, other whole seconds in `s`, and the rest in `ms`.
    fn format(value: &Duration) -> String {
        match (value.subsec_millis(), value.as_secs()) {
            (0, seconds) if seconds > 0 && seconds % SECONDS_PER_DAY == 0 => {
                format!("{} d", seconds / SECONDS_PER_DAY)
            }
            (0, seconds) => format!("{seconds} s"),
            _ => format!("{} ms", value.as_millis()),
        }
    }
}

impl ValueFormat<Vec<SocketAddr>> for NameServers {
    /// Returns the description of a list of IP addresses.
    fn expected_format() -> String {
        "IP addresses, optionally with ports, separated by commas".to_owned()
    }

    /// Parses a comma-separated list that can be empty. An address without a port gets port 53. Host
    /// names fail.
    fn parse(text: &str) -> Result<Vec<SocketAddr>, String> {
        // Port 53 is the port of name servers in RFC 1035.
        let parse_server = |item: &str| match item.parse::<IpAddr>() {
            Ok(ip) => Ok(SocketAddr::new(ip, 53)),
            Err(_) => item.parse().map_err(|_| format!("{item:?} is invalid")),
        };
        split_list(text).map(parse_server).collect()
    }

    /// Formats the list with ports, separated by a comma and a space.
    fn format(value: &Vec<SocketAddr>) -> String {
        value.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

impl ValueFormat<Vec<IpNet>> for IpNetworks {
    /// Returns the description of a list of IP networks, with an example.
    fn expected_format() -> String {
        "IP addresses or networks such as 10.0.0.0/8, separated by commas".to_owned()
    }

    /// Parses a comma-separated list that can be empty. An address becomes the network that contains
    /// only it.
    fn parse(text: &str) -> Result<Vec<IpNet>, String> {
        let parse_network = |item: &str| match item.parse::<IpAddr>() {
            Ok(ip) => Ok(IpNet::from(ip)),
            Err(_) => item.parse().map_err(|_| format!("{item:?} is invalid")),
        };
        split_list(text).map(parse_network).collect()
    }

    /// Formats the list, separated by a comma and a space. A single address becomes a network, such as
    /// `10.0.0.1/32`.
    fn format(value: &Vec<IpNet>) -> String {
        value.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

impl ValueFormat<Vec<u16>> for Ports {
    /// Returns the description of a list of ports.
    fn expected_format() -> String {
        "ports from 1 to 65535, separated by commas".to_owned()
    }

    /// Parses a comma-separated list that can be empty.
    fn parse(text: &str) -> Result<Vec<u16>, String> {
        let parse_port = |item: &str| match item.parse() {
            Ok(port) if port != 0 => Ok(port),
            _ => Err(format!("{item:?} is invalid")),
        };
        split_list(text).map(parse_port).collect()
    }

    /// Formats the list, separated by a comma and a space.
    fn format(value: &Vec<u16>) -> String {
        value.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// Splits a text after the digits and underscores at its start, which precede the unit.
fn split_unit(text: &str) -> (&str, &str) {
    let end = text.find(|char: char| !char.is_ascii_digit() && char != '_').unwrap_or(text.len());
    text.split_at(end)
}

/// Returns the items of a comma-separated list, without whitespace around them. Skips empty items.
fn split_list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_sizes_have_an_optional_unit() {
        let check = |text: &str, want: Result<u64, ()>| {
            assert_eq!(<ByteSize as ValueFormat<u64>>::parse(text).map_err(drop), want, "{text}");
        };
        check("1", Ok(1));
        check("1_000", Ok(1000));
        check("16 MiB", Ok(16 << 20));
        check("16MiB", Ok(16 << 20));
        check("16 MB", Err(()));
        check("MiB", Err(()));
        check("99999999999 GiB", Err(()));
        assert_eq!(<ByteSize as ValueFormat<u64>>::format(&(16 << 20)), "16 MiB");
        assert_eq!(<ByteSize as ValueFormat<u64>>::format(&1000), "1000");
    }

    #[test]
    fn time_spans_have_an_optional_unit() {
        let check = |text: &str, want: Option<Duration>| {
            assert_eq!(TimeSpan::parse(text).ok(), want, "{text}");
        };
        check("45", Some(Duration::from_secs(45)));
        check("1_000 ms", Some(Duration::from_secs(1)));
        check("2min", Some(Duration::from_secs(120)));
        check("30 d", Some(Duration::from_secs(30 * SECONDS_PER_DAY)));
        check("1 h", None);
        check("_ s", None);
    }

    #[test]
    fn a_base_url_has_no_path_and_no_query() {
        let check = |text: &str, want: Option<&str>| {
            assert_eq!(BaseUrl::parse(text).ok().as_deref(), want, "{text}");
        };
        check("https://charts.example.org/", Some("https://charts.example.org"));
        check("http://127.0.0.1:8080", Some("http://127.0.0.1:8080"));
        check("charts.example.org", None);
        check("ftp://charts.example.org", None);
        check("https://example.org/charts", None);
        check("https://example.org?x=1", None);
    }

    #[test]
    fn ports_are_a_list() {
        let check = |text: &str, want: Option<&[u16]>| {
            assert_eq!(Ports::parse(text).ok().as_deref(), want, "{text}");
        };
        check("", Some(&[]));
        check("81", Some(&[81]));
        check("81, 591,", Some(&[81, 591]));
        check("0", None);
        check("65536", None);
        check("80-90", None);
        assert_eq!(Ports::format(&vec![81, 591]), "81, 591");
    }

    #[test]
    fn a_secret_is_never_printed() {
        let secret = Secret::from("hunter2".to_owned());
        assert_eq!(format!("{secret:?}"), "(set)");
        assert_eq!(<SecretText as ValueFormat<Secret>>::format(&secret), "(set)");
    }
}
