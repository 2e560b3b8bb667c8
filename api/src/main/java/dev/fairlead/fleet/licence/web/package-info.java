/** REST endpoints of licences. */
@NullMarked
package dev.fairlead.fleet.licence.web;

import org.jspecify.annotations.NullMarked;
