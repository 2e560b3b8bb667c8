/** Volumes that a project requests before their cluster is known. */
@NullMarked
package dev.fairlead.data.volume;

import org.jspecify.annotations.NullMarked;
