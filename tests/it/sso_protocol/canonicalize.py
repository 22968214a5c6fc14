"""Canonicalizes documents with libxml2. Reads a JSON array per line, and writes a JSON string per line.

An array has the document, the number of the element to canonicalize in document order, the number
of an element to leave out or null, and the PrefixList.
"""

import json
import sys

from lxml import etree

parser = etree.XMLParser(resolve_entities=False, no_network=True)
for line in sys.stdin:
    document, number, excluded, prefixes = json.loads(line)
    root = etree.fromstring(document.encode(), parser)
    elements = list(root.iter(etree.Element))
    if excluded is not None:
        out = elements[excluded]
        parent, before = out.getparent(), out.getprevious()
        # lxml removes the text after an element together with it.
        if out.tail:
            if before is not None:
                before.tail = (before.tail or "") + out.tail
            else:
                parent.text = (parent.text or "") + out.tail
        parent.remove(out)
    canonical = etree.tostring(elements[number], method="c14n", exclusive=True, with_comments=False,
                               inclusive_ns_prefixes=prefixes)
    sys.stdout.write(json.dumps(canonical.decode()) + "\n")
