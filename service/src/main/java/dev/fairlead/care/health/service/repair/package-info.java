/** Repairs of nodes: their loop, steps, tasks and repairers. */
@NullMarked
package dev.fairlead.care.health.service.repair;

import org.jspecify.annotations.NullMarked;
