/** Repairers of machines that are called by webhook. */
@NullMarked
package dev.fairlead.care.health.repair.webhook;

import org.jspecify.annotations.NullMarked;
