/** What happened to a job, a node or a cluster, on one axis. */
@NullMarked
package dev.fairlead.care.timeline;

import org.jspecify.annotations.NullMarked;
