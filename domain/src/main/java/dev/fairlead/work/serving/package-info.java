/** Model services: versions that run as ordinary jobs, and rollouts that judge a new version. */
@NullMarked
package dev.fairlead.work.serving;

import org.jspecify.annotations.NullMarked;
