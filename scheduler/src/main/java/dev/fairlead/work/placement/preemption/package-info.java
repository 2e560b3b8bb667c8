/** Which running jobs make room for one that may take it from them: candidates, order, fewest. */
@NullMarked
package dev.fairlead.work.placement.preemption;

import org.jspecify.annotations.NullMarked;
