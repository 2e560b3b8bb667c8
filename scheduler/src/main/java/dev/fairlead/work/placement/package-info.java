/**
 * The scheduling engine: computes a plan from a snapshot. It is pure, single-threaded and
 * deterministic.
 */
@NullMarked
package dev.fairlead.work.placement;

import org.jspecify.annotations.NullMarked;
