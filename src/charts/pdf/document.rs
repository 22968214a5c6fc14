//! The objects of the file around the content stream: catalog, page, resources and metadata.

use pdf_writer::Filter;
use pdf_writer::Finish;
use pdf_writer::Name;
use pdf_writer::Pdf;
use pdf_writer::Rect;
use pdf_writer::Ref;
use pdf_writer::TextStr;
use pdf_writer::types::{StructRole, TabOrder};

use crate::pdf::content;
use crate::pdf::content::{PageContent, PageResources};
use crate::pdf::links;
use crate::pdf::links::LinkRefs;
use crate::pdf::values::{compress, to_number};
use crate::scene::Scene;

/// References of the objects that every file has.
struct FixedRefs {
    catalog: Ref,
    page_tree: Ref,
    page: Ref,
    content: Ref,
    info: Ref,
    structure: Ref,
    /// Element of the structure with all others.
    document: Ref,
    figure: Ref,
    /// Structure elements of the marked parts of the page.
    page_parts: Ref,
}

/// Returns the complete file with a page.
pub fn write(scene: &Scene, page: PageContent) -> Vec<u8> {
    let PageContent { stream, resources, links } = page;
    let mut next = Ref::new(1);
    let refs = FixedRefs {
        catalog: next.bump(),
        page_tree: next.bump(),
        page: next.bump(),
        content: next.bump(),
        info: next.bump(),
        structure: next.bump(),
        document: next.bump(),
        figure: next.bump(),
        page_parts: next.bump(),
    };
    let mut pdf = Pdf::new();
    let parents = (refs.page, refs.document);
    let links = links::write(&links, scene.height, parents, &mut pdf, &mut next);
    write_catalog(scene, &refs, &links, &mut pdf);
    let compressed = compress(&stream);
    drop(stream);
    pdf.stream(refs.content, &compressed).filter(Filter::FlateDecode);
    let fonts = resources.fonts.write(&mut pdf, &mut next);
    let mut objects = resources.images.write(&mut pdf, &mut next);
    objects.extend(write_dots(&resources.dot_radii, &mut pdf, &mut next));
    let canvas = Rect::new(0.0, 0.0, to_number(scene.width), to_number(scene.height));
    let mut page = pdf.page(refs.page);
    page.parent(refs.page_tree).media_box(canvas).contents(refs.content).struct_parents(0);
    if !links.is_empty() {
        page.annotations(links.iter().map(|link| link.annotation));
        page.tab_order(TabOrder::StructureOrder);
    }
    // Colors are blended as in the other writers.
    page.group().transparency().isolated(true).color_space().device_rgb();
    let mut dictionary = page.resources();
    let mut names = dictionary.fonts();
    for (index, id) in fonts.iter().enumerate() {
        names.pair(Name(format!("T{index}").as_bytes()), *id);
    }
    names.finish();
    let mut names = dictionary.x_objects();
    for (name, id) in &objects {
        names.pair(Name(name.as_bytes()), *id);
    }
    names.finish();
    write_alphas(&resources, dictionary.ext_g_states());
    dictionary.finish();
    page.finish();
    pdf.finish()
}

/// Writes catalog, list of pages, title and language, and the structure: one figure with the title and
/// the description of the scene, as in an SVG, and the elements of the links after it.
fn write_catalog(scene: &Scene, refs: &FixedRefs, links: &[LinkRefs], pdf: &mut Pdf) {
    let mut catalog = pdf.catalog(refs.catalog);
    catalog.pages(refs.page_tree).lang(TextStr(&scene.lang));
    catalog.mark_info().marked(true);
    catalog.pair(Name(b"StructTreeRoot"), refs.structure);
    catalog.viewer_preferences().display_doc_title(true);
    catalog.finish();
    pdf.pages(refs.page_tree).kids([refs.page]).count(1);
    let mut info = pdf.document_info(refs.info);
    if !scene.title.is_empty() {
        info.title(TextStr(&scene.title));
    }
    if !scene.description.is_empty() {
        info.subject(TextStr(&scene.description));
    }
    info.producer(TextStr("Chartroom"));
    info.finish();
    let mut root = pdf.indirect(refs.structure).start::<pdf_writer::writers::StructTreeRoot>();
    root.child(refs.document);
    let mut tree = root.parent_tree();
    let mut keys = tree.nums();
    keys.insert(0, refs.page_parts);
    for (key, link) in (1..).zip(links) {
        keys.insert(key, link.element);
    }
    keys.finish();
    tree.finish();
    root.finish();
    pdf.indirect(refs.page_parts).array().item(refs.figure);
    let mut document = pdf.struct_element(refs.document);
    document.kind(StructRole::Document).parent(refs.structure);
    let mut children = document.children();
    children.struct_element(refs.figure);
    for link in links {
        children.struct_element(link.element);
    }
    children.finish();
    document.finish();
    let mut figure = pdf.struct_element(refs.figure);
    figure.kind(StructRole::Figure).parent(refs.document).page(refs.page);
    figure.marked_content_child().marked_content_id(0);
    let separator = if scene.title.is_empty() || scene.description.is_empty() { "" } else { ". " };
    let alternate = [&scene.title, separator, &scene.description].concat();
    figure.alt(TextStr(&alternate));
    figure.finish();
}

/// Writes the forms of the dots. Returns their names and references.
fn write_dots(radii: &[f64], pdf: &mut Pdf, next: &mut Ref) -> Vec<(String, Ref)> {
    let mut forms = Vec::with_capacity(radii.len());
    for (index, radius) in radii.iter().enumerate() {
        let id = next.bump();
        let side = to_number(radius + 0.01);
        let data = content::dot_content(*radius);
        pdf.form_xobject(id, &data).bbox(Rect::new(-side, -side, side, side));
        forms.push((format!("D{index}"), id));
    }
    forms
}

/// Writes the graphics states with the opacities of the page.
fn write_alphas(resources: &PageResources, mut states: pdf_writer::Dict) {
    let to_opacity = |alpha: u8| (f32::from(alpha) / 255.0 * 1e3).round() / 1e3;
    for alpha in &resources.fill_alphas {
        let name = content::fill_alpha_name(*alpha);
        let mut state =
            states.insert(Name(name.as_bytes())).start::<pdf_writer::writers::ExtGraphicsState>();
        state.non_stroking_alpha(to_opacity(*alpha));
    }
    for alpha in &resources.stroke_alphas {
        let name = content::stroke_alpha_name(*alpha);
        let mut state =
            states.insert(Name(name.as_bytes())).start::<pdf_writer::writers::ExtGraphicsState>();
        state.stroking_alpha(to_opacity(*alpha));
    }
}
