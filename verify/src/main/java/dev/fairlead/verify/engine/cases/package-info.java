/** Conformance cases: scenarios with the outcomes that the tests of other schedulers expect. */
@NullMarked
package dev.fairlead.verify.engine.cases;

import org.jspecify.annotations.NullMarked;
