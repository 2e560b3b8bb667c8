/**
 * Supervision: one supervisor per cluster carries attempts to their cluster and their lives back.
 */
@NullMarked
package dev.fairlead.workload.service;

import org.jspecify.annotations.NullMarked;
