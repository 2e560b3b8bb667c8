/** Running jobs that are moved so that one that waits fits. */
@NullMarked
package dev.fairlead.work.placement.consolidation;

import org.jspecify.annotations.NullMarked;
