/**
 * Faults on real components: two service processes, PostgreSQL and two Kubernetes control planes
 * are killed, paused and cut off while clients submit. Their history is checked at the end.
 */
@NullMarked
package dev.fairlead.verify.faults.chaos;

import org.jspecify.annotations.NullMarked;
