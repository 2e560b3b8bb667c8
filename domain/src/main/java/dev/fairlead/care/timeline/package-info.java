/** Events of a job, a node or a cluster on one timeline. */
@NullMarked
package dev.fairlead.care.timeline;

import org.jspecify.annotations.NullMarked;
