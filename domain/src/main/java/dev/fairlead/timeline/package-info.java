/** What happened to a job, a node or a cluster, on one axis. */
@NullMarked
package dev.fairlead.timeline;

import org.jspecify.annotations.NullMarked;
