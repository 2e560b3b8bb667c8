/** The trace of a job: what its rows say of each stage of its life, as spans. */
@NullMarked
package dev.fairlead.trace;

import org.jspecify.annotations.NullMarked;
