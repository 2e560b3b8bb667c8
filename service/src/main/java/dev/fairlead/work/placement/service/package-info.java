/**
 * The scheduler's shell: reads the world, lets the engine plan, applies the plan under the lease.
 */
@NullMarked
package dev.fairlead.work.placement.service;

import org.jspecify.annotations.NullMarked;
