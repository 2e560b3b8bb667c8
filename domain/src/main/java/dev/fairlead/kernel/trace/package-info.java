/** Spans, and the context that one hands to those below it. */
@NullMarked
package dev.fairlead.kernel.trace;

import org.jspecify.annotations.NullMarked;
