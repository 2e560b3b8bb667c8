/** Volumes that a project asks for before it is known on which cluster they come to be. */
@NullMarked
package dev.fairlead.data.volume;

import org.jspecify.annotations.NullMarked;
