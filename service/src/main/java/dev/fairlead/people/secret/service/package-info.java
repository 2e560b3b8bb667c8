/** Use cases of project secrets, and the rotation of keys. */
@NullMarked
package dev.fairlead.people.secret.service;

import org.jspecify.annotations.NullMarked;
