/** Launches on real control planes with simulated nodes, compared with kube-scheduler. */
@NullMarked
package dev.fairlead.verify.load.launch;

import org.jspecify.annotations.NullMarked;
