/**
 * Calls to an API server: how many at once, what became of each, and what to do about one that
 * failed.
 */
@NullMarked
package dev.fairlead.work.workload.kubernetes.call;

import org.jspecify.annotations.NullMarked;
