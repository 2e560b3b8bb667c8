/**
 * Jobs and their elements: states, the tables that move them, and the one write path.
 *
 * <p>A job has one row. An array job's elements get a row when they first start. The request is in
 * {@code spec}. Each attempt on a cluster is in {@code attempt}. {@link
 * dev.fairlead.work.job.JobTransitions} turns an event into the next rows and the facts to store.
 * {@link dev.fairlead.work.job.store.JobStore#append} writes them.
 */
@NullMarked
package dev.fairlead.work.job;

import org.jspecify.annotations.NullMarked;
