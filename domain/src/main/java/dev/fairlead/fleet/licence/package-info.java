/** Counted things that jobs hold while they run and that no node has, such as licences. */
@NullMarked
package dev.fairlead.fleet.licence;

import org.jspecify.annotations.NullMarked;
