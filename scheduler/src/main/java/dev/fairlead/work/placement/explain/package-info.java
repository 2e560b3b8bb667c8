/**
 * Explains why a job waits: blockers with numbers, verdicts per cluster, and near misses that were
 * tried.
 */
@NullMarked
package dev.fairlead.work.placement.explain;

import org.jspecify.annotations.NullMarked;
