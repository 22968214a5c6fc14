//! Counts values that a chart draws but does not print, although labels are on.

use crate::Scene;
use crate::format::Omission;

/// Numbers of labeled and unlabeled values of a chart with labels on its marks.
///
/// The note about values without a label follows one rule in all kinds, that of a printed chart in a
/// newspaper: readers must be able to read the values somewhere, or be told that they cannot.
///
/// - If labels are switched off, the caller counts nothing, because the author decided so.
/// - An axis with ticks replaces labels, so that there is no note if it is drawn.
/// - The lengths of segments in a bar can be compared with those of labeled ones. A few thin segments
///   without a label are usual in print, but not more than a quarter of all.
/// - Colors replace no label, because readers cannot read numbers from them. The cells of a heat map
///   therefore all count.
/// - A value of zero does not count, because a mark without length has no place for a label.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ValueLabelCount {
    labeled: usize,
    unlabeled: usize,
}

impl ValueLabelCount {
    /// Counts a drawn value with or without a label. Ignores zero without a label.
    pub(crate) fn add(&mut self, value: f64, is_labeled: bool) {
        self.labeled += usize::from(is_labeled);
        self.unlabeled += usize::from(!is_labeled && value != 0.0);
    }

    /// Adds the number of unlabeled values, which only colors show, to the omissions of the scene.
    pub(crate) fn report(self, scene: &mut Scene) {
        scene.omit(Omission::Value, self.unlabeled);
    }

    /// Adds the number of unlabeled segments of bars to the omissions of the scene if they are more than a
    /// quarter, unless an axis with ticks replaces labels.
    pub(crate) fn report_segments(self, has_axis: bool, scene: &mut Scene) {
        if !has_axis && self.unlabeled * 3 > self.labeled {
            scene.omit(Omission::Value, self.unlabeled);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_and_labeled_segments_replace_labels_but_colors_do_not() {
        let count = |labels: &[bool], report: &dyn Fn(ValueLabelCount, &mut Scene)| -> usize {
            let mut scene = Scene::new(100.0, 100.0, crate::color::WHITE);
            let mut counts = ValueLabelCount::default();
            labels.iter().for_each(|is_labeled| counts.add(5.0, *is_labeled));
            counts.add(0.0, false);
            report(counts, &mut scene);
            scene.omissions.iter().map(|(_, count)| count).sum()
        };
        let one_of_four = [true, true, false, true];
        let one_of_three = [true, true, false];
        assert_eq!(count(&one_of_four, &|counts, scene| counts.report(scene)), 1);
        assert_eq!(count(&[true, true], &|counts, scene| counts.report(scene)), 0);
        for (labels, has_axis, expected) in
            [(&one_of_four[..], false, 0), (&one_of_three, false, 1), (&one_of_three, true, 0)]
        {
            let report = |counts: ValueLabelCount, scene: &mut Scene| {
                counts.report_segments(has_axis, scene);
            };
            assert_eq!(count(labels, &report), expected, "{labels:?} {has_axis}");
        }
    }
}
