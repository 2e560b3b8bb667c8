/** Running jobs that must leave for another job: candidates, order, and the minimal set. */
@NullMarked
package dev.fairlead.work.placement.preemption;

import org.jspecify.annotations.NullMarked;
