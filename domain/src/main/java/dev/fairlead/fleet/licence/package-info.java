/** Counted resources that belong to no node and that jobs hold while they run, such as licences. */
@NullMarked
package dev.fairlead.fleet.licence;

import org.jspecify.annotations.NullMarked;
