//! Tests of the sanitizer with hostile and with ordinary files.

use super::*;

/// Maximum size of a result in these tests.
const MAX_BYTES: usize = 100_000;

/// Returns the sanitized content of an SVG element with `inside`.
fn sanitize(inside: &str) -> String {
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
         xmlns:ev=\"http://www.w3.org/2001/xml-events\" xmlns:h=\"http://www.w3.org/1999/xhtml\" \
         viewBox=\"0 0 9 9\">{inside}<rect width=\"3\" height=\"4\"/></svg>"
    );
    let out = sanitize_svg(svg.as_bytes(), MAX_BYTES).unwrap();
    assert_eq!(sanitize_svg(out.as_bytes(), MAX_BYTES).unwrap(), out, "{inside}: not stable");
    let rest = out.strip_prefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 9 9\">");
    let content = rest.unwrap().strip_suffix("<rect width=\"3\" height=\"4\"/></svg>");
    content.unwrap().to_owned()
}

#[test]
fn elements_that_run_load_or_animate_are_removed() {
    for inside in [
        "<script>alert(1)</script>",
        "<script href=\"https://192.0.2.1/a.js\"/>",
        "<h:script>alert(1)</h:script>",
        "<script><![CDATA[alert(1)]]></script>",
        "<foreignObject><h:body><h:iframe src=\"//192.0.2.1\"/></h:body></foreignObject>",
        "<h:img src=\"x\" onerror=\"alert(1)\"/>",
        "<iframe src=\"javascript:alert(1)\"/>",
        "<image href=\"https://192.0.2.1/pixel.png\" width=\"1\" height=\"1\"/>",
        "<image xlink:href=\"data:image/svg+xml;base64,PHN2Zy8+\"/>",
        "<feImage href=\"https://192.0.2.1/a.svg\"/>",
        "<filter id=\"f\"><feImage href=\"data:image/svg+xml,&lt;svg onload='a()'/&gt;\"/></filter>",
        "<animate attributeName=\"href\" values=\"javascript:alert(1)\"/>",
        "<set attributeName=\"href\" to=\"javascript:alert(1)\"/>",
        "<animateTransform attributeName=\"transform\" onbegin=\"alert(1)\"/>",
        "<animateMotion path=\"M0 0\" onend=\"alert(1)\"/>",
        "<discard begin=\"1s\"/>",
        "<style>@import url(https://192.0.2.1/a.css);</style>",
        "<style>@font-face{font-family:a;src:url(//192.0.2.1/a)}</style>",
        "<link rel=\"stylesheet\" href=\"//192.0.2.1/a.css\"/>",
        "<handler ev:event=\"load\">alert(1)</handler>",
        "<ev:listener event=\"load\" handler=\"#a\"/>",
        "<metadata><script>alert(1)</script></metadata>",
        "<video src=\"//192.0.2.1/a\"/><audio src=\"//192.0.2.1/a\"/><embed src=\"//192.0.2.1/a\"/>",
        "<object data=\"data:text/html,a\"/>",
        "<SCRIPT>alert(1)</SCRIPT>",
        "<font><glyph d=\"M0 0\"/></font><cursor href=\"//192.0.2.1/a\"/>",
        "<use href=\"https://192.0.2.1/a.svg#b\"/>",
        "<use xlink:href=\"data:image/svg+xml,%3Csvg id='x'/%3E#x\"/>",
        "<use href=\"#missing\"/>",
        "<?xml-stylesheet href=\"https://192.0.2.1/a.css\"?>",
        "<!-- <script>alert(1)</script> -->",
    ] {
        assert_eq!(sanitize(inside), "", "{inside}");
    }
}

#[test]
fn attributes_that_run_or_load_are_removed() {
    for attributes in [
        "onload=\"alert(1)\"",
        "onclick=\"alert(1)\" ONCLICK=\"alert(1)\"",
        "onmouseover=\"alert&#40;1&#41;\"",
        "ev:event=\"load\"",
        "href=\"#a\" xlink:href=\"javascript:alert(1)\"",
        "xml:base=\"https://192.0.2.1/\"",
        "fill=\"url(https://192.0.2.1/a.svg#b)\"",
        "fill=\"url(&quot;//192.0.2.1/a#b&quot;)\"",
        "fill=\"url(data:image/svg+xml;base64,PHN2Zy8+#a)\"",
        "fill=\"URL(#a)\"",
        "fill=\"\\75 rl(//192.0.2.1/a)\"",
        "filter=\"url(//192.0.2.1/a#b)\"",
        "mask=\"url(//192.0.2.1/a#b)\"",
        "clip-path=\"url(javascript:alert(1))\"",
        "marker-start=\"url(//192.0.2.1/a#b)\"",
        "cursor=\"url(//192.0.2.1/a),auto\"",
        "style=\"background:url(//192.0.2.1/a)\"",
        "style=\"fill:url(//192.0.2.1/a#b)\"",
        "style=\"fill:u\\72l(//192.0.2.1/a)\"",
        "style=\"width:expression(alert(1))\"",
        "style=\"-moz-binding:url(//192.0.2.1/a.xml#b)\"",
        "style=\"behavior:url(a.htc)\"",
        "style=\"fill:image-set('//192.0.2.1/a' 1x)\"",
        "style=\"--a:url(//192.0.2.1/a);fill:var(--a)\"",
        "transform=\"translate(1)url(//192.0.2.1/a)\"",
        "width=\"1&quot; onload=&quot;alert(1)\"",
        "id=\"a&quot;&gt;&lt;script&gt;\"",
        "is=\"x\" tabindex=\"0\" formaction=\"javascript:alert(1)\" requiredExtensions=\"a\"",
    ] {
        assert_eq!(sanitize(&format!("<g {attributes}/>")), "<g/>", "{attributes}");
    }
}

#[test]
fn links_and_switches_become_groups() {
    assert_eq!(
        sanitize("<a href=\"javascript:alert(1)\" target=\"_top\"><path d=\"M0 0h1\"/></a>"),
        "<g><path d=\"M0 0h1\"/></g>"
    );
    assert_eq!(
        sanitize("<text><a href=\"//192.0.2.1\">A &lt;b&gt; &amp;amp;</a></text>"),
        "<text><tspan>A &lt;b&gt; &amp;amp;</tspan></text>"
    );
    assert_eq!(
        sanitize("<switch><foreignObject/><g fill=\"red\"/></switch>"),
        "<g><g fill=\"red\"/></g>"
    );
    assert_eq!(
        sanitize("<title>a<script>alert(1)</script>]]&gt;</title>"),
        "<title>a]]&gt;</title>"
    );
}

#[test]
fn uses_cannot_multiply() {
    let mut bomb = String::from("<g id=\"l0\"><path d=\"M0 0h1\"/></g>");
    for level in 1..20 {
        let uses = format!("<use href=\"#l{}\"/>", level - 1).repeat(10);
        bomb.push_str(&format!("<g id=\"l{level}\">{uses}</g>"));
    }
    let out = sanitize(&bomb);
    assert_eq!(out.matches("<use").count(), 10, "only those of the element without uses");
    assert_eq!(sanitize("<g id=\"a\"><use href=\"#a\"/></g>"), "<g id=\"a\"/>");
    assert_eq!(sanitize("<use id=\"b\" href=\"#b\"/>"), "");
    // The browser could choose the second element.
    assert_eq!(
        sanitize("<g id=\"a\"/><use href=\"#a\"/><g id=\"a\"><use href=\"#b\"/></g><g id=\"b\"/>"),
        "<g id=\"a\"/><g><use href=\"#b\"/></g><g id=\"b\"/>"
    );
    assert_eq!(
        sanitize("<g id=\"a\"/><g id=\"a\"/><use href=\"#a\"/>"),
        "<g id=\"a\"/><g/><use href=\"#a\"/>"
    );
}

#[test]
fn masks_and_patterns_cannot_multiply() {
    for (name, property) in [
        ("mask", "mask"),
        ("clipPath", "clip-path"),
        ("pattern", "fill"),
        ("pattern", "stroke"),
        ("marker", "marker-mid"),
    ] {
        let mut bomb = format!("<{name} id=\"l0\"><path d=\"M0 0h1\"/></{name}>");
        for level in 1..9 {
            let shapes = format!("<path {property}=\"url(#l{})\"/>", level - 1).repeat(10);
            bomb.push_str(&format!("<{name} id=\"l{level}\">{shapes}</{name}>"));
        }
        bomb.push_str(&format!("<path {property}=\"url(#l8)\"/>"));
        let out = sanitize(&bomb);
        assert_eq!(out.matches("url(").count(), 1, "{name}: only that of the last path");
        assert!(out.ends_with(&format!("<path {property}=\"url(#l8)\"/>")), "{out}");
    }
}

#[test]
fn styles_and_uses_do_not_bring_references_into_masks() {
    let plain = "<mask id=\"m\"><path d=\"M0 0h1\"/></mask>";
    let check = |inside: &str, want: &str| {
        assert_eq!(sanitize(&format!("{plain}{inside}")), format!("{plain}{want}"), "{inside}");
    };
    check(
        "<style>.a{mask:url(#m)}</style><mask id=\"n\"><g class=\"a\"/><g style=\"mask:url(#m)\"/></mask>",
        "<mask id=\"n\"><g/><g/></mask>",
    );
    check("<mask id=\"n\" mask=\"url(#m)\"/>", "<mask id=\"n\"/>");
    // The content of a pattern inherits the fill of an outer group, but not its mask.
    check(
        "<pattern id=\"p\"/><g fill=\"url(#p)\" mask=\"url(#m)\"><pattern id=\"q\"><path/></pattern></g>",
        "<pattern id=\"p\"/><g mask=\"url(#m)\"><pattern id=\"q\"><path/></pattern></g>",
    );
    check(
        "<g id=\"a\" mask=\"url(#m)\"/><g id=\"b\"/><clipPath><use href=\"#a\"/><use href=\"#b\"/></clipPath>",
        "<g id=\"a\" mask=\"url(#m)\"/><g id=\"b\"/><clipPath><use href=\"#b\"/></clipPath>",
    );
    let faded = "<linearGradient id=\"s\"/><mask id=\"n\"><path fill=\"url(#s)\"/></mask>";
    check(faded, faded);
    check(
        "<linearGradient id=\"s\"/><pattern id=\"s\"/><mask><path fill=\"url(#s)\"/></mask>",
        "<linearGradient id=\"s\"/><pattern/><mask><path/></mask>",
    );
}

#[test]
fn entities_are_rejected_and_a_document_type_is_removed() {
    let entity = "<!DOCTYPE svg [<!ENTITY a \"<script>alert(1)</script>\">]><svg>&a;</svg>";
    assert_eq!(sanitize_svg(entity.as_bytes(), MAX_BYTES), Err("must not define entities"));
    let lol =
        "<!DOCTYPE svg [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\">]><svg><text>&b;</text></svg>";
    assert_eq!(sanitize_svg(lol.as_bytes(), MAX_BYTES), Err("must not define entities"));
    let file =
        "<!DOCTYPE svg [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><svg><text>&a;</text></svg>";
    assert_eq!(sanitize_svg(file.as_bytes(), MAX_BYTES), Err("must not define entities"));
    let usual = "<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \
                 \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n\
                 <svg xmlns=\"http://www.w3.org/2000/svg\"/>";
    assert_eq!(
        sanitize_svg(usual.as_bytes(), MAX_BYTES).unwrap(),
        "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"
    );
}

#[test]
fn files_that_are_no_svg_or_too_large_are_rejected() {
    let deep = format!("<svg>{}{}</svg>", "<g>".repeat(70), "</g>".repeat(70));
    let sheet = ".a{font-family:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}";
    let grown = format!("<svg><style>{sheet}</style>{}</svg>", "<g class='a'/>".repeat(3000));
    for file in [
        "",
        "<svg",
        "<html><svg/></html>",
        "<svg xmlns=\"http://www.w3.org/1999/xhtml\"/>",
        "<svg>&unknown;</svg>",
        &deep,
        &grown,
        &format!("<svg>{}</svg>", "<g/>".repeat(100_001)),
    ] {
        assert!(sanitize_svg(file.as_bytes(), MAX_BYTES).is_err(), "{file:.60}");
    }
    assert_eq!(sanitize_svg(b"\xff\xfe<\0s\0", MAX_BYTES), Err("must be encoded as UTF-8"));
}

#[test]
fn large_files_are_checked_with_little_memory() {
    let deep = format!("<svg>{}{}</svg>", "<g>".repeat(90_000), "</g>".repeat(90_000));
    assert!(sanitize_svg(deep.as_bytes(), MAX_BYTES).is_err());
    // Each of the nested elements would get the long value before the size of the outer one is known.
    let class = format!("<style>.a{{font-family:{}}}</style>", "a".repeat(1_000));
    let nested = format!("<svg>{class}<g>{}</g></svg>", "<g class='a'/>".repeat(90_000));
    assert_eq!(
        sanitize_svg(nested.as_bytes(), MAX_BYTES),
        Err("is too large after its style sheets are resolved")
    );
    let long = class.replace("aaaaaaaa", "aaaaaaaaa");
    assert_eq!(sanitize(&format!("{long}<g class=\"a\"/>")), "<g/>");
    // Each selector would get a copy of all declarations.
    let selectors: Vec<String> = (0..3000).map(|number| format!(".a{number}")).collect();
    let sheet = format!("{}{{{}}}", selectors.join(","), "fill:red;".repeat(100_000));
    let out = sanitize(&format!("<style>{sheet}</style><g class=\"a1 a2\"/><g class=\"a2999\"/>"));
    assert_eq!(out, "<g fill=\"red\"/><g/>", "the last selector is beyond the limit");
}

#[test]
fn attributes_and_namespaces_are_limited() {
    let numbered = |count: usize, attribute: &str| -> String {
        (0..count)
            .map(|number| format!(" {}='1'", attribute.replace('#', &number.to_string())))
            .collect()
    };
    let check = |svg: String, want: bool| {
        let result = sanitize_svg(svg.as_bytes(), MAX_BYTES);
        assert_eq!(result.is_ok(), want, "{svg:.60}: {:?}", result.err());
        assert!(
            result.is_ok() || result.is_err_and(|rule| rule.contains("attributes")),
            "{svg:.60}"
        );
    };
    // The parser compares all pairs of attributes of an element.
    check(format!("<svg{}/>", numbered(200, "a#")), true);
    check(format!("<svg{}/>", numbered(201, "a#")), false);
    check(format!("<svg><g{}/></svg>", numbered(500_000, "a#")), false);
    check(format!("<svg>{}</svg>", "<g a='1' b='2' c='3'/>".repeat(70_000)), false);
    // The parser copies all outer namespaces to each element with its own.
    let inner = |count| "<g xmlns=''/>".repeat(count);
    check(format!("<svg{}>{}</svg>", numbered(50, "xmlns:n#"), inner(50)), true);
    check(format!("<svg{}>{}</svg>", numbered(100, "xmlns:n#"), inner(1)), false);
    check(format!("<svg{}>{}</svg>", numbered(1, "xmlns:n#"), inner(90_000)), false);
}

#[test]
fn colors_of_style_sheets_become_attributes() {
    let sheet =
        "/* logo */ .st0 , .st1{fill:#C00;stroke: url(#shade) } rect.st1{fill:#00C!important}
        #top{opacity:.5} @media print{.st0{fill:red}} .st0{stroke-width:2px;filter:url(#x)}
        g > path{fill:lime} .out{fill:url(//192.0.2.1/a#b)}";
    let out = sanitize(&format!(
        "<defs><style>{}</style><linearGradient id=\"shade\"><stop offset=\"0\" \
         stop-color=\"#fff\"/></linearGradient></defs><path class=\"st0\" d=\"M0 0\"/>\
         <rect class=\"st1\" id=\"top\" fill=\"red\" style=\"stroke:none\"/><g class=\"out\"/>",
        sheet.replace('>', "&gt;")
    ));
    assert_eq!(
        out,
        "<defs><linearGradient id=\"shade\"><stop offset=\"0\" stop-color=\"#fff\"/>\
         </linearGradient></defs><path d=\"M0 0\" fill=\"#C00\" stroke=\"url(#shade)\" \
         stroke-width=\"2px\"/><rect id=\"top\" fill=\"#00C\" stroke=\"none\" \
         opacity=\".5\"/><g/>"
    );
}

#[test]
fn ordinary_drawings_stay_as_they_are() {
    let drawing = "<defs><clipPath id=\"c\"><circle cx=\"4\" cy=\"4\" r=\"3\"/></clipPath>\
        <g id=\"dot\"><circle r=\"1\"/></g></defs><g transform=\"matrix(1 0 0 1 2 3)\" \
        clip-path=\"url(#c)\" fill=\"rgb(10, 20, 30)\"><path d=\"M0 0C1,2-3.5e-2 4 5 6z\"/>\
        <use x=\"3\" href=\"#dot\"/><text font-family=\"'Noto Sans', sans-serif\" \
        font-size=\"3\">Grüße &amp; mehr</text></g>";
    // The output has the attributes of an element before its properties.
    assert_eq!(sanitize(drawing), drawing);
}
