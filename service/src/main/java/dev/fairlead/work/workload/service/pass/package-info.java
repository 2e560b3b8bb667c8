/**
 * One pass of a supervisor over attempts of its cluster, and the state that persists between
 * passes.
 */
@NullMarked
package dev.fairlead.work.workload.service.pass;

import org.jspecify.annotations.NullMarked;
