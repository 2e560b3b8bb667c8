/**
 * Scheduling by deserved shares, the second share policy: allocate, reclaim between queues, preempt
 * inside one, each a step on a small world of its own.
 */
@NullMarked
package dev.fairlead.placement.deserved;

import org.jspecify.annotations.NullMarked;
