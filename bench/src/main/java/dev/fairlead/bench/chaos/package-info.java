/**
 * The real thing under real faults: two service processes, PostgreSQL and two Kubernetes control
 * planes, killed, paused and cut off while clients submit; their history is checked afterwards.
 */
@NullMarked
package dev.fairlead.bench.chaos;

import org.jspecify.annotations.NullMarked;
