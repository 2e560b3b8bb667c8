/**
 * The scheduler's shell: reads the snapshot, runs the engine, and applies the plan under the lease.
 */
@NullMarked
package dev.fairlead.work.placement.service;

import org.jspecify.annotations.NullMarked;
