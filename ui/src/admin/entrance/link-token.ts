import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';

/** The token of a one-time link. It travels behind the `#`, which no server sees, and leaves the address bar at once. */
export function useLinkToken(): string | null {
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  const [token, setToken] = useState(() => hash.slice(1) || null);

  useEffect(() => {
    if (hash.length > 1) {
      setToken(hash.slice(1));
      navigate(pathname, { replace: true });
    }
  }, [hash, pathname, navigate]);

  return token;
}
