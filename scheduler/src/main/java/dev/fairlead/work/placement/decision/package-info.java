/** Decisions of a cycle, such as a placement, an eviction or a change of size. */
@NullMarked
package dev.fairlead.work.placement.decision;

import org.jspecify.annotations.NullMarked;
