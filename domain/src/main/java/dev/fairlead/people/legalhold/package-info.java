/** What a tenant keeps although it may go otherwise. */
@NullMarked
package dev.fairlead.people.legalhold;

import org.jspecify.annotations.NullMarked;
