/** Conformance cases: scenarios with the outcomes that the tests of other schedulers expect. */
@NullMarked
package dev.fairlead.bench.cases;

import org.jspecify.annotations.NullMarked;
