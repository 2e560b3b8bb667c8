/** Sessions in simulated members. */
@NullMarked
package dev.fairlead.work.workload.simulation.session;

import org.jspecify.annotations.NullMarked;
