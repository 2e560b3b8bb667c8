/** Storage that a project asks for, before any cluster has it. */
@NullMarked
package dev.fairlead.volume;

import org.jspecify.annotations.NullMarked;
