//! How the value of a setting is written, in the file as in the environment and in flags.

use std::fmt;
use std::marker::PhantomData;
use std::net::IpAddr;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use ipnet::IpNet;

use super::words::Vocabulary;

/// Seconds of a day.
const DAY: u64 = 86_400;

/// A way to write values of the type `T`.
pub trait Form<T> {
    /// Whether the value is never shown.
    const SECRET: bool = false;

    /// What a value looks like: `a number`.
    fn expects() -> String;

    /// Reads a value.
    ///
    /// # Errors
    /// What is wrong with it, when that needs saying beside what was expected.
    fn parse(text: &str) -> Result<T, String>;

    /// The value as it would be written.
    fn show(value: &T) -> String;
}

/// Any text.
pub struct Text;
/// A path of the file system.
pub struct Path;
/// An IP address and a port.
pub struct Address;
/// The beginning of web addresses.
pub struct Url;
/// A whole number.
pub struct Number;
/// A number of bytes, also with a unit: `16 MiB`.
pub struct Size;
/// A length of time: `45 s`.
pub struct Time;
/// One of a few words.
pub struct Word;
/// Name servers with commas between.
pub struct Servers;
/// Networks with commas between.
pub struct Networks;
/// A text that is never shown.
pub struct Hidden;
/// A value that may be absent: the empty text.
pub struct Maybe<F>(PhantomData<F>);

/// A password or the like: `Debug` does not print it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The secret itself, to be handed on and not to be printed.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether there is none.
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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&<Hidden as Form<Self>>::show(self))
    }
}

impl<W: Vocabulary> Form<W> for Word {
    fn expects() -> String {
        let words: Vec<&str> = W::WORDS.iter().map(|(word, _)| *word).collect();
        format!("one of {}", words.join(", "))
    }

    fn parse(text: &str) -> Result<W, String> {
        let found = W::WORDS.iter().find(|(word, _)| *word == text);
        found.map(|(_, value)| *value).ok_or_else(|| format!("{text:?} is not a word for it"))
    }

    fn show(value: &W) -> String {
        value.word().to_owned()
    }
}

impl<T, F: Form<T>> Form<Option<T>> for Maybe<F> {
    const SECRET: bool = F::SECRET;

    fn expects() -> String {
        F::expects()
    }

    fn parse(text: &str) -> Result<Option<T>, String> {
        if text.is_empty() { Ok(None) } else { F::parse(text).map(Some) }
    }

    fn show(value: &Option<T>) -> String {
        value.as_ref().map_or_else(String::new, F::show)
    }
}

impl Form<String> for Text {
    fn expects() -> String {
        "a text".to_owned()
    }

    fn parse(text: &str) -> Result<String, String> {
        Ok(text.to_owned())
    }

    fn show(value: &String) -> String {
        value.clone()
    }
}

impl Form<Secret> for Hidden {
    const SECRET: bool = true;

    fn expects() -> String {
        "a text".to_owned()
    }

    fn parse(text: &str) -> Result<Secret, String> {
        Ok(Secret(text.to_owned()))
    }

    fn show(value: &Secret) -> String {
        if value.is_empty() { String::new() } else { "(set)".to_owned() }
    }
}

impl Form<PathBuf> for Path {
    fn expects() -> String {
        "a path".to_owned()
    }

    fn parse(text: &str) -> Result<PathBuf, String> {
        if text.is_empty() { Err("is empty".to_owned()) } else { Ok(PathBuf::from(text)) }
    }

    fn show(value: &PathBuf) -> String {
        value.display().to_string()
    }
}

impl Form<SocketAddr> for Address {
    fn expects() -> String {
        "an IP address and a port such as 127.0.0.1:8080".to_owned()
    }

    /// `localhost` is understood here, since a name lookup is not wanted before there is a server.
    fn parse(text: &str) -> Result<SocketAddr, String> {
        let text = match text.strip_prefix("localhost:") {
            Some(port) => format!("127.0.0.1:{port}"),
            None => text.to_owned(),
        };
        text.parse().map_err(|_| format!("{text:?} is not one"))
    }

    fn show(value: &SocketAddr) -> String {
        value.to_string()
    }
}

impl Form<String> for Url {
    fn expects() -> String {
        "an address such as https://charts.example.org".to_owned()
    }

    fn parse(text: &str) -> Result<String, String> {
        let text = text.trim_end_matches('/');
        let uri: hyper::Uri = text.parse().map_err(|_| format!("{text:?} is not one"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err("must begin with http:// or https://".to_owned());
        }
        if uri.query().is_some() || !matches!(uri.path(), "" | "/") {
            return Err("must end after the host and the port".to_owned());
        }
        Ok(text.to_owned())
    }

    fn show(value: &String) -> String {
        value.clone()
    }
}

/// Whole numbers of every width.
impl<T: FromStr + fmt::Display + Copy> Form<T> for Number {
    fn expects() -> String {
        "a whole number".to_owned()
    }

    fn parse(text: &str) -> Result<T, String> {
        let digits: String = text.chars().filter(|it| *it != '_').collect();
        digits.parse().map_err(|_| format!("{text:?} is not one, or is out of range"))
    }

    fn show(value: &T) -> String {
        value.to_string()
    }
}

/// Sizes of every width.
impl<T: TryFrom<u64> + TryInto<u64> + Copy> Form<T> for Size {
    fn expects() -> String {
        "a number of bytes, or a size such as 16 MiB".to_owned()
    }

    fn parse(text: &str) -> Result<T, String> {
        let end = text.find(|it: char| !it.is_ascii_digit() && it != '_').unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let shift = match unit.trim() {
            "" => 0,
            "KiB" => 10,
            "MiB" => 20,
            "GiB" => 30,
            other => return Err(format!("{other:?} is not KiB, MiB or GiB")),
        };
        let number: u64 = <Number as Form<u64>>::parse(number)?;
        let bytes = number.checked_mul(1 << shift).and_then(|it| T::try_from(it).ok());
        bytes.ok_or_else(|| "is too large".to_owned())
    }

    fn show(value: &T) -> String {
        let bytes: u64 = (*value).try_into().unwrap_or(u64::MAX);
        let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
        match units.iter().find(|(shift, _)| bytes != 0 && bytes.is_multiple_of(1 << shift)) {
            Some((shift, unit)) => format!("{} {unit}", bytes >> shift),
            None => bytes.to_string(),
        }
    }
}

impl Form<Duration> for Time {
    fn expects() -> String {
        "a time such as 45 s, 250 ms, 2 min or 30 d".to_owned()
    }

    fn parse(text: &str) -> Result<Duration, String> {
        let end = text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        let number: u64 = <Number as Form<u64>>::parse(number)?;
        match unit.trim() {
            "ms" => Ok(Duration::from_millis(number)),
            "s" | "" => Ok(Duration::from_secs(number)),
            "min" => Ok(Duration::from_secs(number.saturating_mul(60))),
            "d" => Ok(Duration::from_secs(number.saturating_mul(DAY))),
            other => Err(format!("{other:?} is not ms, s, min or d")),
        }
    }

    fn show(value: &Duration) -> String {
        match (value.subsec_millis(), value.as_secs()) {
            (0, seconds) if seconds > 0 && seconds % DAY == 0 => format!("{} d", seconds / DAY),
            (0, seconds) => format!("{seconds} s"),
            _ => format!("{} ms", value.as_millis()),
        }
    }
}

impl Form<Vec<SocketAddr>> for Servers {
    fn expects() -> String {
        "IP addresses, with or without a port, with commas between".to_owned()
    }

    fn parse(text: &str) -> Result<Vec<SocketAddr>, String> {
        // RFC 1035: name servers listen on port 53.
        let server = |it: &str| match it.parse::<IpAddr>() {
            Ok(ip) => Ok(SocketAddr::new(ip, 53)),
            Err(_) => it.parse().map_err(|_| format!("{it:?} is not one")),
        };
        parts(text).map(server).collect()
    }

    fn show(value: &Vec<SocketAddr>) -> String {
        value.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

impl Form<Vec<IpNet>> for Networks {
    fn expects() -> String {
        "IP addresses or networks such as 10.0.0.0/8, with commas between".to_owned()
    }

    fn parse(text: &str) -> Result<Vec<IpNet>, String> {
        let network = |it: &str| match it.parse::<IpAddr>() {
            Ok(ip) => Ok(IpNet::from(ip)),
            Err(_) => it.parse().map_err(|_| format!("{it:?} is not one")),
        };
        parts(text).map(network).collect()
    }

    fn show(value: &Vec<IpNet>) -> String {
        value.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|it| !it.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_numbers_or_have_a_unit() {
        let check = |text: &str, want: Result<u64, ()>| {
            assert_eq!(<Size as Form<u64>>::parse(text).map_err(drop), want, "{text}");
        };
        check("1", Ok(1));
        check("1_000", Ok(1000));
        check("16 MiB", Ok(16 << 20));
        check("16MiB", Ok(16 << 20));
        check("16 MB", Err(()));
        check("MiB", Err(()));
        check("99999999999 GiB", Err(()));
        assert_eq!(<Size as Form<u64>>::show(&(16 << 20)), "16 MiB");
        assert_eq!(<Size as Form<u64>>::show(&1000), "1000");
    }

    #[test]
    fn a_base_url_is_scheme_host_and_port() {
        let check = |text: &str, want: Option<&str>| {
            assert_eq!(Url::parse(text).ok().as_deref(), want, "{text}");
        };
        check("https://charts.example.org/", Some("https://charts.example.org"));
        check("http://127.0.0.1:8080", Some("http://127.0.0.1:8080"));
        check("charts.example.org", None);
        check("ftp://charts.example.org", None);
        check("https://example.org/charts", None);
        check("https://example.org?x=1", None);
    }

    #[test]
    fn a_secret_does_not_print() {
        let secret = Secret::from("hunter2".to_owned());
        assert_eq!(format!("{secret:?}"), "(set)");
        assert_eq!(<Hidden as Form<Secret>>::show(&secret), "(set)");
    }
}
