/** Repairs of nodes: plan, tasks and repairers. */
@NullMarked
package dev.fairlead.care.health.repair;

import org.jspecify.annotations.NullMarked;
