/** Licences over REST. */
@NullMarked
package dev.fairlead.fleet.licence.web;

import org.jspecify.annotations.NullMarked;
